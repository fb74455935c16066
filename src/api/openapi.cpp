#include "shapes/record_views.hpp"

#include <fairlead/api/openapi.hpp>
#include <fairlead/api/problem.hpp>
#include <fairlead/api/route.hpp>

#include <fmt/format.h>

#include <map>
#include <set>

namespace fairlead::api {
namespace {

using codec::JsonWriter;

std::string kindText(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid:
      return "The request is wrong; all that is wrong stands in `errors`.";
    case ErrorKind::notFound:
      return "It does not exist, or the caller may not see it.";
    case ErrorKind::denied:
      return "The caller may not do this; `rule` or the detail says by which rule.";
    case ErrorKind::conflict:
      return "Its state forbids this, a name fits several, or an idempotency key was used with another request.";
    case ErrorKind::precondition:
      return "It has changed since the ETag was read.";
    case ErrorKind::tooLarge:
      return "Over a stated limit.";
    case ErrorKind::unavailable:
      return "Not now; the same request may work later.";
    case ErrorKind::timeout:
      return "Took longer than its limit.";
    case ErrorKind::unsupported:
      return "Understood, and not offered.";
    case ErrorKind::internal:
      return "A fault of the daemon.";
  }
  return {};
}

/// Schemas, each written once under components.
class SchemaWriter {
 public:
  explicit SchemaWriter(JsonWriter& json) : json_(json) {}

  void reference(const ShapeInfo& shape) {
    need(shape);
    json_.beginObject().member("$ref", fmt::format("#/components/schemas/{}", shape.name())).endObject();
  }

  void type(const Type& type, std::string_view doc = {}) {
    if (type.kind == JsonKind::object && doc.empty()) return reference(*type.shape);
    json_.beginObject();
    if (!doc.empty()) json_.member("description", doc);
    body(type);
    json_.endObject();
  }

  void components() {
    while (!waiting_.empty()) {
      const auto* shape = waiting_.begin()->second;
      written_.emplace(shape->name(), shape);
      waiting_.erase(waiting_.begin());
      for (const auto& field : shape->fields()) needAll(field.type);
    }
    json_.beginObject();
    for (const auto& [name, shape] : written_) {
      json_.key(name);
      object(*shape);
    }
    json_.endObject();
  }
  void need(const ShapeInfo& shape) {
    if (!written_.contains(shape.name())) waiting_.emplace(shape.name(), &shape);
  }

 private:
  void needAll(const Type& type) {
    if (type.shape != nullptr) need(*type.shape);
    for (const auto& item : type.item) needAll(item);
  }

  void body(const Type& type) {
    switch (type.kind) {
      case JsonKind::text:
        json_.member("type", "string");
        if (!type.format.empty()) json_.member("format", type.format);
        if (!type.choices.empty()) choices(type.choices);
        break;
      case JsonKind::time:
        json_.member("type", "string").member("format", "date-time");
        break;
      case JsonKind::integer:
        json_.member("type", "integer").member("format", "int64");
        break;
      case JsonKind::boolean:
        json_.member("type", "boolean");
        break;
      case JsonKind::list:
        json_.member("type", "array").key("items");
        this->type(type.item.front());
        break;
      case JsonKind::map:
        json_.member("type", "object").key("additionalProperties");
        this->type(type.item.front());
        break;
      case JsonKind::object:
        need(*type.shape);
        json_.member("$ref", fmt::format("#/components/schemas/{}", type.shape->name()));
        break;
      case JsonKind::any:
        break;
    }
  }

  void choices(const std::vector<std::string_view>& values) {
    json_.key("enum").beginArray();
    for (const auto value : values) json_.value(value);
    json_.endArray();
  }

  void object(const ShapeInfo& shape) {
    json_.beginObject().member("type", "object").member("description", shape.doc());
    json_.key("required").beginArray();
    for (const auto& field : shape.fields())
      if (field.required) json_.value(field.name);
    json_.endArray().key("properties").beginObject();
    for (const auto& field : shape.fields()) {
      json_.key(field.name);
      type(field.type, field.doc);
    }
    json_.endObject().endObject();
  }

  JsonWriter& json_;
  std::map<std::string_view, const ShapeInfo*> waiting_, written_;
};

class RouteWriter {
 public:
  RouteWriter(JsonWriter& json, SchemaWriter& schemas) : json_(json), schemas_(schemas) {}

  void write(const Route& route) {
    json_.beginObject().member("operationId", route.operation);
    json_.key("tags").beginArray().value(route.tag).endArray();
    json_.member("summary", route.summary);
    if (!route.doc.empty()) json_.member("description", route.doc);
    if (!route.action.empty()) json_.member("x-fairlead-action", route.action);
    if (route.access == CallerCheck::open) json_.key("security").beginArray().endArray();
    params(route);
    if (!route.body.contentTypes.empty()) body(route.body);
    json_.key("responses").beginObject();
    success(route);
    failures(route);
    json_.endObject().endObject();
  }

 private:
  void params(const Route& route) {
    if (route.params.empty()) return;
    json_.key("parameters").beginArray();
    for (const auto& param : route.params) one(param);
    json_.endArray();
  }

  void one(const Param& param) {
    static constexpr std::array<std::string_view, 3> kPlaces{"path", "query", "header"};
    json_.beginObject()
        .member("name", param.name)
        .member("in", kPlaces[static_cast<std::size_t>(param.place)])
        .member("description", param.doc);
    if (param.place == ParamPlace::path) json_.member("required", true);
    if (param.several) json_.member("explode", true);
    json_.key("schema");
    if (param.several) {
      json_.beginObject().member("type", "array").key("items");
      valueSchema(param);
      json_.endObject();
    } else {
      valueSchema(param);
    }
    json_.endObject();
  }

  void valueSchema(const Param& param) {
    json_.beginObject();
    switch (param.kind) {
      case ParamKind::text:
        json_.member("type", "string").member("maxLength", static_cast<std::int64_t>(param.maxBytes));
        break;
      case ParamKind::integer:
        json_.member("type", "integer").member("minimum", param.minimum).member("maximum", param.maximum);
        break;
      case ParamKind::boolean:
        json_.member("type", "boolean");
        break;
      case ParamKind::time:
        json_.member("type", "string").member("format", "date-time");
        break;
      case ParamKind::choice:
        json_.member("type", "string").key("enum").beginArray();
        for (const auto choice : param.choices) json_.value(choice);
        json_.endArray();
        break;
    }
    if (!param.fallback.empty()) {
      json_.key("default");
      if (param.kind == ParamKind::integer)
        json_.raw(param.fallback);
      else
        json_.value(param.fallback);
    }
    json_.endObject();
  }

  void body(const BodySpec& body) {
    json_.key("requestBody").beginObject().member("description", body.doc).key("content").beginObject();
    for (const auto type : body.contentTypes) {
      json_.key(type).beginObject().key("schema").beginObject();
      if (type != "application/json") json_.member("type", "string");
      json_.endObject().endObject();
    }
    json_.endObject().endObject();
  }

  void success(const Route& route) {
    json_.key(std::to_string(route.status)).beginObject().member("description", route.summary);
    json_.key("content").beginObject().key(route.contentType).beginObject().key("schema");
    if (route.answer == nullptr || route.contentType != "application/json") {
      json_.beginObject();
      if (route.contentType != "application/json") json_.member("type", "string");
      if (route.answer != nullptr) {
        schemas_.need(*route.answer);
        json_.member("description", fmt::format("Each `data` is a {}.", route.answer->name()));
      }
      json_.endObject();
    } else if (route.page) {
      page(*route.answer);
    } else {
      schemas_.reference(*route.answer);
    }
    json_.endObject().endObject().endObject();
  }

  void page(const ShapeInfo& item) {
    json_.beginObject().member("type", "object").key("required").beginArray().value("items").endArray();
    json_.key("properties").beginObject().key("items").beginObject().member("type", "array").key("items");
    schemas_.reference(item);
    json_.endObject()
        .key("nextCursor")
        .beginObject()
        .member("type", "string")
        .member("description", "Where the list goes on; left out at its end.")
        .endObject();
    json_.endObject().endObject();
  }

  void failures(const Route& route) {
    std::map<int, std::string> byStatus;
    for (const auto kind : route.errors) byStatus.emplace(statusOf(ErrorCode{"", kind, ""}), kindText(kind));
    if (route.access != CallerCheck::open) byStatus.emplace(401, "Nobody is authenticated.");
    if (route.access == CallerCheck::guarded) byStatus.emplace(403, kindText(ErrorKind::denied));
    if (!route.params.empty() || !route.body.contentTypes.empty()) byStatus.emplace(400, kindText(ErrorKind::invalid));
    if (!route.body.contentTypes.empty()) byStatus.emplace(415, "The content type is not taken here.");
    byStatus.emplace(500, kindText(ErrorKind::internal));
    byStatus.emplace(503, kindText(ErrorKind::unavailable));
    for (const auto& [status, text] : byStatus) {
      json_.key(std::to_string(status)).beginObject().member("description", text);
      json_.key("content").beginObject().key("application/problem+json").beginObject().key("schema");
      schemas_.reference(shapeOf<ProblemView>());
      json_.endObject().endObject().endObject();
    }
  }

  JsonWriter& json_;
  SchemaWriter& schemas_;
};

/// Two spaces a level; so that a change of one declaration is a change of a few lines.
std::string indented(std::string_view json) {
  std::string out;
  std::size_t depth = 0;
  bool inText = false;
  const auto newline = [&] { out.append("\n").append(2 * depth, ' '); };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (inText) {
      out += c;
      if (c == '\\') out += json[++i];
      if (c == '"') inText = false;
    } else if (c == '"') {
      out += c;
      inText = true;
    } else if (c == '{' || c == '[') {
      out += c;
      if (json[i + 1] == '}' || json[i + 1] == ']') {
        out += json[++i];
        continue;
      }
      ++depth;
      newline();
    } else if (c == '}' || c == ']') {
      --depth;
      newline();
      out += c;
    } else if (c == ',') {
      out += c;
      newline();
    } else {
      out += c;
      if (c == ':') out += ' ';
    }
  }
  return out + "\n";
}

void writeInfo(JsonWriter& json) {
  json.member("openapi", "3.1.0").key("info").beginObject();
  json.member("title", "Fairlead").member("version", "1");
  json.member("description",
              "One control plane above Slurm and Kubernetes GPU clusters. JSON in camelCase; integers with the unit in "
              "the name; times as RFC 3339; ids as text. Fields "
              "may be added; readers ignore those that they do not know. What a caller may not read answers 404, as if "
              "it did not exist, and the denial is audited. "
              "Any answer may carry X-Request-Id, which stands in log and audit too.");
  json.endObject();
  json.key("security").beginArray().beginObject().key("token").beginArray().endArray().endObject().endArray();
}

}  // namespace

std::string openApiDocument() {
  std::string text;
  JsonWriter json(text);
  SchemaWriter schemas(json);
  RouteWriter writer(json, schemas);
  json.beginObject();
  writeInfo(json);
  std::map<std::string_view, std::map<std::string, const Route*>> paths;
  for (const auto& route : routes()) {
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
    paths[route.path][method] = &route;
  }
  json.key("paths").beginObject();
  for (const auto& [path, methods] : paths) {
    json.key(path).beginObject();
    for (const auto& [method, route] : methods) {
      json.key(method);
      writer.write(*route);
    }
    json.endObject();
  }
  json.endObject().key("components").beginObject();
  json.key("securitySchemes")
      .beginObject()
      .key("token")
      .beginObject()
      .member("type", "http")
      .member("scheme", "bearer");
  json.member("description", "Over TCP. On the unix socket the kernel tells who calls, and no token is needed.")
      .endObject()
      .endObject();
  json.key("schemas");
  schemas.components();
  json.endObject().endObject();
  return indented(text);
}

}  // namespace fairlead::api
