"""Checks that a changed setting publishes a new version of every function with routes.

A version is published if its logical id changes, which SAM derives from the function's properties. A setting that does not
change the id would only reach the functions with the next change of the code.

Usage: versions.py TEMPLATE
"""

import copy
import sys

from translate import read, translate

# A parameter of each kind that a function depends on, with another value.
PARAMETERS = {
    "CardNetworkUrl": "https://other.example",
    "OnboardingChecksPerEmail": 7,
    "Architecture": "x86_64",
    "RestoredTable": "portal-restored",
}


def resolved(value, parameters):
    """Replaces references to parameters by their values, as the transform AWS::LanguageExtensions does."""
    if isinstance(value, dict):
        if list(value) == ["Ref"] and value["Ref"] in parameters:
            return parameters[value["Ref"]]
        return {name: resolved(member, parameters) for name, member in value.items()}
    if isinstance(value, list):
        return [resolved(member, parameters) for member in value]
    return value


def versions(template, changed=None):
    """Returns the logical ids of the versions, by function."""
    template = copy.deepcopy(template)
    parameters = {name: parameter.get("Default", name) for name, parameter in template["Parameters"].items()}
    unknown = set(changed or {}) - set(parameters)
    assert not unknown, f"unknown parameters: {unknown}"
    template["Resources"] = resolved(template["Resources"], parameters | (changed or {}))
    template["Globals"] = resolved(template["Globals"], parameters | (changed or {}))
    resources = translate(template)["Resources"]
    ids = [name for name, resource in resources.items() if resource["Type"] == "AWS::Lambda::Version"]
    return {resources[name]["Properties"]["FunctionName"]["Ref"]: name for name in ids}


def main(path):
    template = read(path)
    before = versions(template)
    published = [name for name, resource in template["Resources"].items() if "AutoPublishAlias" in resource.get("Properties", {})]
    assert sorted(before) == sorted(published), f"published: {sorted(before)}"
    assert versions(template) == before, "a new version without a change"

    slower = copy.deepcopy(template)
    slower["Globals"]["Function"]["Timeout"] += 1
    changes = {"Timeout": versions(slower)}
    for name, value in PARAMETERS.items():
        changes[name] = versions(template, {name: value})
    for name, after in changes.items():
        unchanged = [function for function, version in before.items() if after[function] == version]
        assert not unchanged, f"a change of {name} publishes no new version of {unchanged}"
        print(f"a change of {name} publishes a new version of {len(after)} functions")


if __name__ == "__main__":
    main(sys.argv[1])
