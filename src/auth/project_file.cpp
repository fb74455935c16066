#include "documents.hpp"
#include "text_file.hpp"

#include <fairlead/auth/errors.hpp>
#include <fairlead/auth/projects.hpp>
#include <fairlead/codec/decoder.hpp>
#include <fairlead/codec/tree.hpp>

#include <iterator>

namespace fairlead::auth {
namespace {

using codec::Decoder;
using codec::Field;
using codec::MapReader;

model::ProjectMember decodeMember(Decoder& decoder, const Field& field) {
  MapReader map(decoder, field);
  const auto user = map.optional("user");
  const auto group = map.optional("group");
  const auto role = decoder.choice<ProjectRole>(map.required("role"));
  map.done();
  if (map.isMap() && static_cast<bool>(user) == static_cast<bool>(group))
    decoder.error(field, codec::kConflict, "a member is one user or one group", "give either user or group");
  const auto name = decoder.text(user ? user : group);
  return {std::string(name.value_or("")), !user, role.value_or(ProjectRole::viewer)};
}

Project decodeProject(Decoder& decoder, const Field& root) {
  Project project;
  MapReader document(decoder, root);
  expectKind(decoder, document, "Project");
  const auto metadataField = document.required("metadata");
  const auto specField = document.optional("spec");
  document.done();
  if (metadataField) {
    MapReader metadata(decoder, metadataField);
    project.name = decoder.text(metadata.required("name")).value_or("");
    project.parent = decoder.text(metadata.optional("parent")).value_or("");
    metadata.done();
  }
  if (specField) {
    MapReader spec(decoder, specField);
    const auto members = spec.optional("members");
    spec.done();
    const auto items = decoder.list(members, ProjectLimits::members);
    for (std::size_t i = 0; items && i < items->size(); ++i)
      project.members.push_back(decodeMember(decoder, Decoder::item(members, i)));
  }
  return project;
}

}  // namespace

Checked<ProjectTable> parseProjects(std::string_view yaml) {
  codec::Limits limits;
  limits.textBytes = ProjectLimits::fileBytes;
  limits.documents = static_cast<int>(ProjectLimits::projects);
  limits.values = 2'000'000;
  const auto documents = codec::parseYamlDocuments(yaml, limits);
  if (!documents) return tl::unexpected(documents.error());
  if (documents->empty())
    return tl::unexpected(Errors{Error{&kProjectInvalid,
                                       "the file declares no project",
                                       {},
                                       {},
                                       "declare at least one, or configure no file of projects"}});
  std::vector<Project> projects;
  std::vector<int> lines;
  Errors errors;
  for (const auto& tree : *documents) {
    Decoder decoder;
    projects.push_back(decodeProject(decoder, decoder.root(tree.root())));
    lines.push_back(tree.root().place.line);
    auto wrong = decoder.takeErrors();
    errors.insert(errors.end(), std::make_move_iterator(wrong.begin()), std::make_move_iterator(wrong.end()));
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return ProjectTable::make(std::move(projects), lines);
}

Checked<ProjectTable> loadProjects(const std::string& path) {
  const auto text = readTextFile(path, ProjectLimits::fileBytes, 002);
  if (!text) return tl::unexpected(Errors{text.error()});
  return parseProjects(*text);
}

}  // namespace fairlead::auth
