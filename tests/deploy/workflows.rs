//! The workflows, and the roles that they use.

use serde_json::{Value, json};
use test_support::workspace_root;

use crate::template::document;

fn workflow(name: &str) -> Value {
    document(&format!(".github/workflows/{name}.yml"))
}

/// Returns the commands of a job.
fn commands(job: &Value) -> String {
    let steps = job["steps"].as_array().unwrap().iter();
    steps.filter_map(|step| step["run"].as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_checks_are_those_of_the_project_and_the_dependencies_and_a_build_of_all_functions() {
    let jobs = &workflow("ci")["jobs"];
    for (job, command) in [("checks", ".ci/run"), ("dependencies", "cargo deny --locked check"), ("functions", ".ci/arm64")] {
        assert!(commands(&jobs[job]).lines().any(|line| line == command), "{job}");
    }
    assert!(workspace_root().join("deny.toml").exists());
}

#[test]
fn both_stages_deploy_the_same_build_after_the_checks() {
    let deploy = workflow("deploy");
    let jobs = &deploy["jobs"];
    assert_eq!(jobs["build"]["needs"], "checks");
    assert_eq!(commands(&jobs["build"]).matches("sam build").count(), 1);
    for (stage, needs) in [("dev", "build"), ("prod", "dev")] {
        let job = &jobs[stage];
        assert_eq!(job["uses"], "./.github/workflows/deploy-stage.yml");
        assert_eq!((&job["needs"], &job["with"]["stage"]), (&needs.into(), &stage.into()));
    }
    let stage = &workflow("deploy-stage")["jobs"]["deploy"];
    assert!(!commands(stage).contains("sam build"), "the stage builds");
    assert_eq!(stage["environment"], "${{ inputs.stage }}");
}

#[test]
fn only_a_job_that_deploys_can_ask_for_an_identity() {
    for name in ["ci", "deploy"] {
        assert_eq!(workflow(name)["permissions"], json!({"contents": "read"}), "{name}");
    }
    let deploy = workflow("deploy");
    for job in ["checks", "build"] {
        assert!(deploy["jobs"][job]["permissions"].is_null(), "{job}");
    }
}

#[test]
fn the_workflow_can_assume_its_role_only_in_its_environment() {
    let template = document("deploy/pipeline.yaml");
    let trust = &template["Resources"]["DeployRole"]["Properties"]["AssumeRolePolicyDocument"]["Statement"];
    let conditions = &trust[0]["Condition"]["StringEquals"];
    assert_eq!(conditions["token.actions.githubusercontent.com:sub"], "repo:${Repository}:environment:${Stage}");
    assert_eq!(conditions["token.actions.githubusercontent.com:aud"], "sts.amazonaws.com");
}

#[test]
fn the_roles_of_the_pipeline_reach_no_data() {
    let template = document("deploy/pipeline.yaml");
    for role in ["DeployRole", "StackRole"] {
        let statements = template["Resources"][role]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"].clone();
        for statement in statements.as_array().unwrap().iter().filter(|statement| statement["Effect"] == "Allow") {
            let actions = match &statement["Action"] {
                Value::Array(actions) => actions.clone(),
                action => vec![action.clone()],
            };
            for action in actions.iter().map(|action| action.as_str().unwrap()) {
                assert_ne!(action, "*", "{role}");
                let (service, name) = action.split_once(':').unwrap();
                assert!(service != "secretsmanager", "{role}: {action}");
                let reads_rows = ["*", "GetItem", "Query", "Scan", "PutItem", "BatchGetItem"].contains(&name);
                assert!(!(service == "dynamodb" && reads_rows), "{role}: {action}");
                // The uploaded builds.
                let resource = statement["Resource"].to_string();
                let is_object = service == "s3" && (name.ends_with("Object") || name == "*");
                assert!(!is_object || resource.contains(":::aws-sam-cli-managed-default-"), "{role}: {action}");
            }
        }
    }
}
