#include "accelerators_data.hpp"

#include <fairlead/model/accelerators.hpp>

#include <algorithm>
#include <string>

namespace fairlead::model {
namespace {

bool isLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

void dropPrefix(std::string& text, std::string_view prefix) {
  if (text.starts_with(prefix)) text.erase(0, prefix.size());
}

/// Letters and digits in lower case, without what vendors write in front; the same rule as in
/// scripts/accelerator_table.py.
std::string normalised(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (isLetterOrDigit(c)) out.push_back(c);
  }
  for (std::string_view vendor : {"nvidia", "amd", "huawei"}) {
    if (!out.starts_with(vendor)) continue;
    dropPrefix(out, vendor);
    break;
  }
  const auto before = out.size();
  dropPrefix(out, "tesla");
  if (out.size() == before) dropPrefix(out, "instinct");
  return out;
}

const AcceleratorModel* rowOfName(std::string_view name) {
  for (const auto& row : acceleratorTable())
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace

std::span<const AcceleratorModel> acceleratorTable() { return {kAcceleratorRows, kAcceleratorRowCount}; }

const AcceleratorModel* findAccelerator(std::string_view nameOrProduct) {
  if (nameOrProduct.size() > 200) return nullptr;
  const std::string wanted = normalised(nameOrProduct);
  const std::span aliases{kAcceleratorAliases, kAcceleratorAliasCount};
  const auto found =
      std::lower_bound(aliases.begin(), aliases.end(), wanted,
                       [](const AcceleratorAlias& alias, std::string_view text) { return alias.text < text; });
  return found != aliases.end() && found->text == wanted ? &kAcceleratorRows[found->row] : nullptr;
}

std::string_view visibleVariable(std::string_view vendor) {
  for (const auto& row : acceleratorTable())
    if (row.vendor == vendor) return row.visibleVariable;
  return {};
}

bool modelMatches(std::string_view wanted, std::string_view model) {
  if (wanted.empty() || wanted == model) return true;
  if (!model.starts_with(wanted)) return false;
  if (model[wanted.size()] == '-') return true;
  const auto* row = rowOfName(model);
  return row != nullptr && row->family == wanted;
}

bool deviceMatches(const DeviceRequest& request, const Device& device) {
  return (request.vendor.empty() || request.vendor == device.vendor) && modelMatches(request.model, device.model) &&
         device.memory >= request.memoryAtLeast;
}

std::string_view canonicalModelOrFamily(std::string_view text) {
  if (text.empty() || text.size() > 200) return {};
  const std::string wanted = normalised(text);
  for (const auto& row : acceleratorTable()) {
    if (!row.family.empty() && normalised(row.family) == wanted) return row.family;
    for (auto dash = row.name.find('-'); dash != std::string_view::npos; dash = row.name.find('-', dash + 1))
      if (normalised(row.name.substr(0, dash)) == wanted) return row.name.substr(0, dash);
  }
  const auto* row = findAccelerator(text);
  return row == nullptr ? std::string_view{} : row->name;
}

bool knownModelOrFamily(std::string_view name) {
  return std::binary_search(kAcceleratorNames, kAcceleratorNames + kAcceleratorNameCount, name);
}

}  // namespace fairlead::model
