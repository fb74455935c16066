#!/usr/bin/env python3
"""Turns data/accelerators.csv into the C++ table of src/model/accelerators.cpp.

usage: accelerator_table.py accelerators.csv accelerator_products.csv out.cpp

Rows that describe a way of sharing rather than a product are left out. Slices get names that do not begin with their
card's name (mig-h100-80gb-1g.10gb), so that a request for the family `h100` never means a slice.
"""
import csv
import re
import sys

NOT_A_PRODUCT = re.compile(r"replica|HAMi|vNPU|slices")
VENDORS = {"Intel Habana": "habana"}
STACKS = {
    "oneAPI / Level Zero": "oneapi", "SynapseAI / Intel Gaudi software": "gaudi", "Intel Gaudi software": "gaudi",
    "libtpu / JAX / PyTorch-XLA": "tpu", "Neuron SDK": "neuron", "DTK (ROCm derived)": "dtk", "CoreX (IXUCA)": "corex",
    "MXMACA": "maca", "XRE / XPU SDK": "xre", "HGGC (CUDA compatible)": "hggc",
}
# What a process itself reads, where the first variable of the row is read by the container runtime instead. AWS counts
# cores there, not devices, and Biren's and Vastai's are not documented for processes: those have none.
PROCESS_VARIABLE = {
    "nvidia": "CUDA_VISIBLE_DEVICES", "amd": "ROCR_VISIBLE_DEVICES", "intel": "ZE_AFFINITY_MASK",
    "habana": "HABANA_VISIBLE_MODULES", "google": "TPU_VISIBLE_CHIPS", "aws": "", "huawei": "ASCEND_RT_VISIBLE_DEVICES",
    "cambricon": "MLU_VISIBLE_DEVICES", "hygon": "HIP_VISIBLE_DEVICES", "iluvatar": "CUDA_VISIBLE_DEVICES",
    "metax": "CUDA_VISIBLE_DEVICES", "moore-threads": "MUSA_VISIBLE_DEVICES", "kunlunxin": "XPU_VISIBLE_DEVICES",
    "enflame": "TOPS_VISIBLE_DEVICES", "biren": "", "vastai": "", "t-head": "CUDA_VISIBLE_DEVICES",
}


def slug(text):
    return re.sub(r"[^a-z0-9._]+", "-", text.lower()).strip("-")


def canonical(model):
    mig = re.match(r"(.*) MIG (\S+)$", model)
    if mig:
        return "mig-" + slug(mig[1]) + "-" + mig[2].lower()
    if "CPX" in model:
        return "cpx-" + slug(model.split()[0])
    model = re.sub(r"\(.*\)", "", model).split(" / ")[-1]
    return slug(model.replace("Data Center GPU ", ""))


def family_of(name):
    """A family whose members do not start with it and a `-`."""
    match = re.match(r"(ascend-910b)\d", name)
    return match[1] if match else ""


def normal(text):
    text = re.sub(r"[^a-z0-9]", "", text.lower())
    return re.sub(r"^(nvidia|amd|huawei)?(tesla|instinct)?", "", text)


def read_rows(path):
    rows = []
    for line in csv.DictReader(open(path, encoding="utf-8")):
        if NOT_A_PRODUCT.search(line["model"]):
            continue
        vendor = VENDORS.get(line["vendor"], slug(line["vendor"]))
        assert PROCESS_VARIABLE[vendor] in line["env_var"], (vendor, line["env_var"])
        rows.append({
            "vendor": vendor, "name": canonical(line["model"]), "text": line["vendor"] + " " + line["model"],
            "memory": int(float(line["memory_gib"] or 0)), "variable": PROCESS_VARIABLE[vendor],
            "stack": STACKS.get(line["stack"], slug(line["stack"])), "gres": line["slurm_gres"],
        })
    rows.sort(key=lambda row: (row["vendor"], row["name"]))
    return rows


def add_aliases(rows, products):
    aliases = {}

    def add(text, index):
        aliases.setdefault(normal(text), set()).add(index)

    index_of = {row["name"]: i for i, row in enumerate(rows)}
    assert len(index_of) == len(rows), "two rows with one name"
    for name, i in index_of.items():
        whole = not name.startswith(("mig-", "cpx-"))
        add(name, i)
        if whole or name.startswith("mig-"):
            for gres in re.findall(r"(?:gpu|npu|xpu|gcu|dcu|mlu):([^ )]+)", rows[i]["gres"]):
                add(gres, i)
        parts = name.split("-")
        for cut in range(1, len(parts)):
            if whole and re.search(r"\d", "-".join(parts[:cut])):
                add("-".join(parts[:cut]), i)
    first = {}
    for product in csv.DictReader(open(products, encoding="utf-8")):
        first.setdefault(product["name"], product["product_text"])
        add(product["product_text"], index_of[product["name"]])
    for name, text in first.items():
        if rows[index_of[name]]["vendor"] != "huawei":
            rows[index_of[name]]["text"] = text
    for name, i in index_of.items():  # a row's own name is always that row
        aliases[normal(name)] = {i}
    return {alias: found.pop() for alias, found in aliases.items() if len(found) == 1}


def names_and_families(rows):
    """Every text that a request may name a row by: its name, its name up to a `-`, and its other family."""
    names = set()
    for row in rows:
        parts = row["name"].split("-")
        names.update("-".join(parts[:cut]) for cut in range(1, len(parts) + 1))
        names.add(family_of(row["name"]))
    names.discard("")
    return sorted(names)


def main(table, products, out):
    rows = read_rows(table)
    aliases = add_aliases(rows, products)
    with open(out, "w", encoding="utf-8") as f:
        f.write("// Made by scripts/accelerator_table.py from data/accelerators.csv.\n#include \"accelerators_data.hpp\"\n\n")
        f.write("namespace fairlead::model {\n\nconst AcceleratorModel kAcceleratorRows[] = {\n")
        for row in rows:
            f.write('    {"%s", "%s", "%s", %d, "%s", "%s", "%s"},\n' % (
                row["vendor"], row["name"], row["text"], row["memory"], row["variable"], row["stack"], family_of(row["name"])))
        f.write("};\nconst std::size_t kAcceleratorRowCount = %d;\n\nconst AcceleratorAlias kAcceleratorAliases[] = {\n" % len(rows))
        for alias in sorted(aliases):
            f.write('    {"%s", %d},\n' % (alias, aliases[alias]))
        f.write("};\nconst std::size_t kAcceleratorAliasCount = %d;\n\nconst std::string_view kAcceleratorNames[] = {\n" % len(aliases))
        names = names_and_families(rows)
        for name in names:
            f.write('    "%s",\n' % name)
        f.write("};\nconst std::size_t kAcceleratorNameCount = %d;\n\n}  // namespace fairlead::model\n" % len(names))


if __name__ == "__main__":
    main(*sys.argv[1:4])
