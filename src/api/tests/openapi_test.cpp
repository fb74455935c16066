// The description: true to the routes, sound as OpenAPI, and the same as the file in docs/.
#include <fairlead/api/openapi.hpp>
#include <fairlead/api/route.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

namespace fairlead::api {
namespace {

namespace json = boost::json;

const json::object& document() {
  static const json::value kDocument = json::parse(openApiDocument());
  return kDocument.as_object();
}

/// Every `$ref` of the document.
void collectRefs(const json::value& value, std::set<std::string>& refs) {
  if (value.is_array())
    for (const auto& item : value.as_array()) collectRefs(item, refs);
  if (!value.is_object()) return;
  for (const auto& entry : value.as_object()) {
    if (entry.key() == "$ref") refs.emplace(entry.value().as_string());
    collectRefs(entry.value(), refs);
  }
}

TEST(OpenApi, isTheFileInDocs) {
  const std::string path = FAIRLEAD_SOURCE_DIR "/docs/openapi.json";
  if (std::getenv("FAIRLEAD_UPDATE") != nullptr) std::ofstream(path) << openApiDocument();
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(text == openApiDocument(), true)
      << "docs/openapi.json is old: run api_tests with FAIRLEAD_UPDATE=1 --gtest_filter='OpenApi.*'";
}

TEST(OpenApi, hasEveryRouteOnceAndAllItsVariables) {
  std::set<std::string_view> operations;
  for (const auto& route : routes()) {
    EXPECT_TRUE(operations.insert(route.operation).second) << route.operation;
    EXPECT_FALSE(route.summary.empty()) << route.operation;
    EXPECT_NE(route.handler, nullptr) << route.operation;
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
    EXPECT_TRUE(document().at("paths").at(route.path).as_object().contains(method)) << route.path;
    std::size_t variables = 0;
    for (const auto& param : route.params) {
      EXPECT_FALSE(param.doc.empty()) << route.operation << " " << param.name;
      if (param.place != ParamPlace::path) continue;
      ++variables;
      EXPECT_NE(route.path.find("{" + std::string(param.name) + "}"), std::string_view::npos) << route.path;
    }
    EXPECT_EQ(variables, static_cast<std::size_t>(std::count(route.path.begin(), route.path.end(), '{'))) << route.path;
  }
}

TEST(OpenApi, resolvesEveryReferenceAndUsesEverySchema) {
  std::set<std::string> refs;
  collectRefs(json::value(document()), refs);
  std::set<std::string> known;
  for (const auto& entry : document().at("components").at("schemas").as_object())
    known.insert("#/components/schemas/" + std::string(entry.key()));
  for (const auto& ref : refs) EXPECT_TRUE(known.contains(ref)) << ref;
  refs.insert("#/components/schemas/Event");  // named in words: the stream's data
  for (const auto& schema : known) EXPECT_TRUE(refs.contains(schema)) << schema;
}

TEST(OpenApi, requiresOnlyDeclaredPropertiesAndExplainsAllOfThem) {
  for (const auto& entry : document().at("components").at("schemas").as_object()) {
    const auto& schema = entry.value().as_object();
    const auto& properties = schema.at("properties").as_object();
    for (const auto& name : schema.at("required").as_array())
      EXPECT_TRUE(properties.contains(name.as_string())) << entry.key();
    for (const auto& property : properties)
      EXPECT_TRUE(property.value().as_object().contains("description")) << entry.key() << "." << property.key();
  }
}

TEST(OpenApi, everyAnswerHasADescriptionAndEveryFailureIsAProblem) {
  for (const auto& path : document().at("paths").as_object())
    for (const auto& method : path.value().as_object())
      for (const auto& answer : method.value().at("responses").as_object()) {
        EXPECT_TRUE(answer.value().as_object().contains("description"));
        if (answer.key() < "400") continue;
        EXPECT_TRUE(answer.value().at("content").as_object().contains("application/problem+json")) << path.key();
      }
}

}  // namespace
}  // namespace fairlead::api
