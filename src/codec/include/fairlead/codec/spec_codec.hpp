// `apiVersion: fairlead.io/v1, kind: Workload`: from text to a checked Spec, and back to its one canonical JSON.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/codec/tree.hpp>
#include <fairlead/model/spec.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fairlead::codec {

struct WorkloadDocument {
  std::string name;
  std::string project;  ///< empty: the caller's default
  model::Labels labels;
  model::Spec spec;
  bool operator==(const WorkloadDocument&) const = default;
};

struct SpecContext {
  /// What a relative `workingDirectory` starts from: the folder of whoever submits. Empty: relative ones are refused.
  std::string baseDirectory;
};

/// All errors of the document at once.
[[nodiscard]] Checked<WorkloadDocument> decodeWorkload(const Tree& tree, const SpecContext& context = {});
/// The same from JSON text: parse and decode in one pass, a few microseconds for a small document.
[[nodiscard]] Checked<WorkloadDocument> decodeWorkloadJson(std::string_view body, const SpecContext& context = {});
/// The `spec` member alone. Inverse of canonicalJson.
[[nodiscard]] Checked<model::Spec> decodeSpecJson(std::string_view json);

/// Sorted keys, no white space, defaults left out: equal specs have equal text. It is what is stored and digested.
[[nodiscard]] std::string canonicalJson(const model::Spec& spec);
/// The whole document in the same form, as `get -o json` shows it.
[[nodiscard]] std::string workloadJson(const WorkloadDocument& document);
/// SHA-256 of canonicalJson.
[[nodiscard]] model::Digest specDigest(const model::Spec& spec);
[[nodiscard]] model::SpecPtr makeSpecDocument(model::Spec spec);

/// The short form of the command line: `2`, `h100`, `h100:2`, `share:0.5`, `h100:share=0.5`, `nvidia/h100:2`, and
/// `none`.
[[nodiscard]] Result<std::vector<model::DeviceRequest>> parseDevices(std::string_view text);

/// `[a-z0-9]([-a-z0-9._]*[a-z0-9])?`, at most 63 bytes: fit for file names, argv and labels everywhere.
[[nodiscard]] bool isName(std::string_view text);

}  // namespace fairlead::codec
