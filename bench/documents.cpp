#include "documents.hpp"

#include <fmt/format.h>

namespace fairlead::bench {
namespace {

constexpr std::string_view kBlank = "job-0000000000";  // as long as every name
constexpr std::size_t kDigits = 10;

}  // namespace

std::string workloadDocument(std::uint32_t project, std::uint32_t variant) {
  return fmt::format(
      R"({{"apiVersion":"fairlead.io/v1","kind":"Workload","metadata":{{"name":"{}","project":"p{}"}},"spec":{{"class":"training","roles":)"
      R"([{{"name":"worker","count":1,"devices":{{"model":"h100","count":1}},"command":["/usr/bin/python3","train.py","--seed","{}"]}}],)"
      R"("timeLimit":"12h"}}}})",
      kBlank, project, variant);
}

NumberedRequest::NumberedRequest(const Endpoint& where, std::string_view path,
                                 const std::vector<std::string>& documents) {
  std::string body;
  for (const auto& document : documents) body += (body.empty() ? "" : ",") + document;
  if (documents.size() > 1) body = "[" + body + "]";
  bytes_ = requestHead(where, "POST", path, body.size()) + body;
  for (auto at = bytes_.find(kBlank); at != std::string::npos; at = bytes_.find(kBlank, at + 1))
    places_.push_back(at + kBlank.size() - kDigits);
}

std::string_view NumberedRequest::number(std::uint64_t first) {
  for (const auto place : places_) {
    auto rest = first++;
    for (auto digit = place + kDigits; digit-- > place; rest /= 10) bytes_[digit] = static_cast<char>('0' + rest % 10);
  }
  return bytes_;
}

}  // namespace fairlead::bench
