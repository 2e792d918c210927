"""Compares the templates with AWS's limits: prints the largest of each kind, and fails beyond a limit.

Limits that are quotas of an account are its defaults. Usage: limits.py TEMPLATE TRANSLATED OTHER ...
"""

import json
import os
import re
import sys
from collections import Counter

from translate import read

# The longest names that AWS accepts, by the property that sets them.
NAME_LENGTHS = {
    "AWS::CloudFront::Function": ("Name", 64),
    "AWS::CloudFront::ResponseHeadersPolicy": ("ResponseHeadersPolicyConfig.Name", 128),
    "AWS::CloudWatch::Alarm": ("AlarmName", 255),
    "AWS::CloudWatch::Dashboard": ("DashboardName", 255),
    "AWS::Events::Rule": ("Name", 64),
    "AWS::IAM::ManagedPolicy": ("ManagedPolicyName", 128),
    "AWS::IAM::Role": ("RoleName", 64),
    "AWS::Lambda::Function": ("FunctionName", 64),
    "AWS::Logs::LogGroup": ("LogGroupName", 512),
    "AWS::Scheduler::Schedule": ("Name", 64),
    "AWS::SecretsManager::Secret": ("Name", 512),
}

# Values of pseudo parameters and references as long as they get: stacks are named portal- and the stage.
LENGTHS = {"AWS::StackName": 32, "AWS::Region": 14, "AWS::AccountId": 12, "AWS::Partition": 10, "AWS::URLSuffix": 16}
# An ARN, a URL or a generated name.
REFERENCE_LENGTH = 100
# CloudFront's secrets, which CloudFormation resolves, and the ids of generations.
RESOLVED_LENGTHS = {"{{resolve:secretsmanager:": 64}


class Report:
    def __init__(self):
        self.is_exceeded = False

    def add(self, what, number, limit, unit="", where=""):
        is_over = number > limit
        self.is_exceeded |= is_over
        if number:
            print(f"{'OVER' if is_over else '':<6}{what:<50}{number:>9,} of {limit:>9,} {unit} {where}".rstrip())

    def largest(self, what, numbers, limit, unit=""):
        """Reports the largest of several numbers by name."""
        if numbers:
            name = max(numbers, key=numbers.get)
            self.add(what, numbers[name], limit, unit, name)


def length(value):
    """The most characters that a value has once CloudFormation has resolved it."""
    if isinstance(value, (bool, int, float)):
        return len(str(value))
    if isinstance(value, str):
        for prefix, resolved in RESOLVED_LENGTHS.items():
            if value.startswith(prefix):
                return resolved
        text = re.sub(r"\$\{[^}]*\}", "", value)
        return len(text) + sum(reference_length(name) for name in re.findall(r"\$\{([^}!]*)\}", value))
    (function, argument), = value.items()
    match function:
        case "Ref":
            return 0 if argument == "AWS::NoValue" else reference_length(argument)
        case "Fn::If":
            return max(length(argument[1]), length(argument[2]))
        case "Fn::Sub":
            return length(argument if isinstance(argument, str) else argument[0])
        case "Fn::Join":
            parts = argument[1] if isinstance(argument[1], list) else [argument[1]]
            return sum(map(length, parts)) + len(argument[0]) * len(parts)
        case _:
            return REFERENCE_LENGTH


def reference_length(name):
    return LENGTHS.get(name, REFERENCE_LENGTH)


def of_type(template, *types):
    return {name: resource.get("Properties", {}) for name, resource in template["Resources"].items() if resource["Type"] in types}


def policy_length(policies):
    """The size of a policy without white space, which is how IAM counts it."""
    text = json.dumps([policy["PolicyDocument"] for policy in policies], separators=(",", ":"))
    # References and functions are about as long as what they resolve to.
    return len(text) if policies else 0


def report_template(report, template):
    report.add("size", len(json.dumps(template, separators=(",", ":"))), 1_000_000, "bytes")
    report.add("resources", len(template["Resources"]), 500)
    report.add("parameters", len(template.get("Parameters", {})), 200)
    report.add("outputs", len(template.get("Outputs", {})), 200)
    report.add("mappings", len(template.get("Mappings", {})), 200)
    names = {name: len(name) for section in ("Resources", "Parameters", "Outputs") for name in template.get(section, {})}
    report.largest("logical id", names, 255, "characters")
    descriptions = {name: len(value.get("Description", "")) for name, value in template.get("Parameters", {}).items()}
    report.largest("description of a parameter", descriptions, 4000, "characters")


def report_roles(report, template):
    inline = {name: policy_length(role.get("Policies", [])) for name, role in of_type(template, "AWS::IAM::Role").items()}
    report.largest("inline policies of a role", inline, 10_240, "characters")
    managed = {name: policy_length([policy]) for name, policy in of_type(template, "AWS::IAM::ManagedPolicy").items()}
    report.largest("managed policy", managed, 6_144, "characters")
    attached = {name: len(role.get("ManagedPolicyArns", [])) for name, role in of_type(template, "AWS::IAM::Role").items()}
    report.largest("managed policies of a role", attached, 10)


def report_names(report, template):
    for type_, (path, limit) in NAME_LENGTHS.items():
        lengths = {}
        for name, properties in of_type(template, type_).items():
            value = properties
            for part in path.split("."):
                value = value.get(part) if isinstance(value, dict) else None
            if value is not None:
                lengths[name] = length(value)
        report.largest(f"name of {type_.removeprefix('AWS::')}", lengths, limit, "characters")


def report_functions(report, template):
    functions = of_type(template, "AWS::Lambda::Function")
    environment = {
        name: sum(len(key) + length(value) for key, value in properties.get("Environment", {}).get("Variables", {}).items())
        for name, properties in functions.items()
    }
    report.largest("environment of a function", environment, 4_096, "bytes")
    readers = {}
    for name, mapping in of_type(template, "AWS::Lambda::EventSourceMapping").items():
        readers.setdefault(json.dumps(mapping["EventSourceArn"]), []).append(name)
    report.largest("consumers of a stream's shard", {", ".join(names): len(names) for names in readers.values()}, 2)
    filters = {
        name: len(mapping.get("FilterCriteria", {}).get("Filters", []))
        for name, mapping in of_type(template, "AWS::Lambda::EventSourceMapping").items()
    }
    report.largest("filters of an event source mapping", filters, 5)


def report_apis(report, template):
    apis = of_type(template, "AWS::ApiGatewayV2::Api")
    routes = {
        name: sum(1 for path in api["Body"]["paths"].values() for method in path if not method.startswith("x-")) for name, api in apis.items()
    }
    report.largest("routes of an HTTP API", routes, 300)
    limits = {name: len(stage.get("RouteSettings", {})) for name, stage in of_type(template, "AWS::ApiGatewayV2::Stage").items()}
    report.largest("routes of an HTTP API with a limit of their own", limits, 300)


def report_counts(report, template):
    rules = of_type(template, "AWS::Events::Rule")
    report.add("EventBridge rules", len(rules), 300)
    alarms = of_type(template, "AWS::CloudWatch::Alarm")
    report.add("alarms", len(alarms), 5_000)
    metrics = {name: sum("MetricStat" in metric for metric in alarm.get("Metrics", [])) for name, alarm in alarms.items()}
    report.largest("metrics of an alarm", metrics, 10)
    filters = Counter(filter_["LogGroupName"]["Ref"] for filter_ in of_type(template, "AWS::Logs::MetricFilter").values())
    report.largest("metric filters of a log group", dict(filters), 100)
    behaviors = {
        name: len(front["DistributionConfig"].get("CacheBehaviors", [])) for name, front in of_type(template, "AWS::CloudFront::Distribution").items()
    }
    report.largest("cache behaviors of a distribution", behaviors, 75)
    acls = of_type(template, "AWS::WAFv2::WebACL")
    report.largest("rate-based rules of a web ACL", {name: len(acl["Rules"]) for name, acl in acls.items()}, 10)
    # Beyond 1,500 units, WAF bills more for a request.
    report.largest("capacity units of a web ACL", {name: capacity(acl["Rules"]) for name, acl in acls.items()}, 1_500)


def capacity(rules):
    """The capacity that WAF computes: 2 for a rate-based rule, 2 for a match of text, 10 for a transformation of it."""
    text = json.dumps(rules)
    return 2 * text.count('"RateBasedStatement"') + 2 * text.count('"ByteMatchStatement"') + 10 * text.count('"URL_DECODE"')


def report_all(report, template):
    for part in (report_template, report_roles, report_names, report_functions, report_apis, report_counts):
        part(report, template)


def main(source, translated, others):
    report = Report()
    print(source)
    # Uploaded to S3 by `sam deploy`: inline, 51,200 bytes would be the most.
    report.add("size of the file", os.path.getsize(source), 1_000_000, "bytes")
    with open(translated, encoding="utf-8") as file:
        application = json.load(file)
    print(f"{source} after the SAM transform")
    report_all(report, application)
    for path in others:
        print(path)
        # Sent inline by `aws cloudformation deploy`.
        report.add("size of the file", os.path.getsize(path), 51_200, "bytes")
        report_all(report, read(path))
    return 1 if report.is_exceeded else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
