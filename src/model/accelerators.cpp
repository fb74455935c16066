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
  auto const before = out.size();
  dropPrefix(out, "tesla");
  if (out.size() == before) dropPrefix(out, "instinct");
  return out;
}

AcceleratorModel const* rowOfName(std::string_view name) {
  for (auto const& row : acceleratorTable())
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace

std::span<AcceleratorModel const> acceleratorTable() { return {kAcceleratorRows, kAcceleratorRowCount}; }

AcceleratorModel const* findAccelerator(std::string_view nameOrProduct) {
  if (nameOrProduct.size() > 200) return nullptr;
  std::string const wanted = normalised(nameOrProduct);
  std::span const aliases{kAcceleratorAliases, kAcceleratorAliasCount};
  auto const found =
      std::lower_bound(aliases.begin(), aliases.end(), wanted,
                       [](AcceleratorAlias const& alias, std::string_view text) { return alias.text < text; });
  return found != aliases.end() && found->text == wanted ? &kAcceleratorRows[found->row] : nullptr;
}

std::string_view visibleVariable(std::string_view vendor) {
  for (auto const& row : acceleratorTable())
    if (row.vendor == vendor) return row.visibleVariable;
  return {};
}

bool modelMatches(std::string_view wanted, std::string_view model) {
  if (wanted.empty() || wanted == model) return true;
  if (!model.starts_with(wanted)) return false;
  if (model[wanted.size()] == '-') return true;
  auto const* row = rowOfName(model);
  return row != nullptr && row->family == wanted;
}

bool deviceMatches(DeviceRequest const& request, Device const& device) {
  return (request.vendor.empty() || request.vendor == device.vendor) && modelMatches(request.model, device.model) &&
         device.memory >= request.memoryAtLeast;
}

bool knownModelOrFamily(std::string_view name) {
  return !name.empty() &&
         std::ranges::any_of(acceleratorTable(), [&](auto const& row) { return modelMatches(name, row.name); });
}

}  // namespace fairlead::model
