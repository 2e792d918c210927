//! The workflows, and the roles that they use.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value, json};
use world::workspace_root;

use crate::template::document;

fn workflow(name: &str) -> Value {
    document(&format!(".github/workflows/{name}.yml"))
}

fn commands(job: &Value) -> String {
    let steps = job["steps"].as_array().unwrap().iter();
    steps.filter_map(|step| step["run"].as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_checks_are_those_of_the_project_and_the_dependencies_and_a_build_of_all_functions() {
    let jobs = &workflow("ci")["jobs"];
    for (job, command) in [
        ("checks", ".ci/run"),
        ("dependencies", "cargo deny --locked check"),
        ("dependencies", ".ci/npm-audit"),
        ("functions", ".ci/arm64"),
    ] {
        assert!(commands(&jobs[job]).lines().any(|line| line == command), "{job}");
    }
    assert!(workspace_root().join("deny.toml").exists());
}

#[test]
fn each_part_of_the_nightly_checks_is_a_job() {
    let workflow = workflow("nightly");
    assert!(workflow["on"]["schedule"][0]["cron"].is_string() && workflow["on"].get("workflow_dispatch").is_some());
    assert_eq!(workflow["permissions"], json!({"contents": "read"}));
    let job = &workflow["jobs"]["nightly"];
    assert!(commands(job).ends_with("\n.ci/nightly ${{ matrix.part }}"));
    let script = std::fs::read_to_string(workspace_root().join(".ci/nightly")).unwrap();
    let (_, parts) = script.split_once("|| set -- ").unwrap();
    let parts: Vec<&str> = parts.lines().next().unwrap().split(' ').collect();
    assert_eq!(job["strategy"]["matrix"]["part"], json!(parts));
}

#[test]
fn the_package_is_published_by_hand_after_its_checks_and_without_a_token() {
    let workflow = workflow("publish");
    assert_eq!(workflow["on"], json!({"workflow_dispatch": null}));
    let job = &workflow["jobs"]["publish"];
    assert_eq!(job["permissions"], json!({"contents": "read", "id-token": "write"}));
    assert_eq!(job["environment"], "npm");
    let publish = "clients/typescript/publish \"$GITHUB_SERVER_URL/$GITHUB_REPOSITORY\" --provenance";
    assert_eq!(commands(job).lines().collect::<Vec<_>>(), [".ci/package", publish]);
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

/// Without it, SAM takes a loop of the template for a broken resource.
#[test]
fn sam_is_told_of_loops_in_every_stage() {
    let settings = std::fs::read_to_string(workspace_root().join("samconfig.toml")).unwrap();
    for stage in ["default", "dev", "prod"] {
        let (_, parameters) = settings.split_once(&format!("[{stage}.global.parameters]\n")).unwrap();
        assert!(parameters.starts_with("language_extensions = true\n"), "{stage}");
    }
}

#[test]
fn every_deployment_is_followed_by_a_sale_and_that_of_production_comes_after_one() {
    let stage = workflow("deploy-stage");
    let steps = stage["jobs"]["deploy"]["steps"].as_array().unwrap().clone();
    let position = |start: &str| {
        let positions =
            steps.iter().enumerate().filter(|(_, step)| step["run"].as_str().is_some_and(|run| run.starts_with(start)));
        positions.map(|(position, _)| position).collect::<Vec<_>>()
    };
    let ([checked], [first_call]) = (&position("deploy/preflight \"$STAGE\"")[..], &position(".ci/canary")[..1]) else {
        panic!("no preflight: {steps:?}")
    };
    assert!(checked < first_call);
    let (sales, deployment) =
        (position(".ci/canary \"portal-$STAGE\""), position("sam deploy --config-file samconfig.toml --config-env \"$STAGE\" "));
    let ([before, after], [deployment]) = (&sales[..], &deployment[..]) else { panic!("{sales:?}, {deployment:?}") };
    assert!(before < deployment && deployment < after);
    assert_eq!((&steps[*before]["if"], &steps[*after]["if"]), (&"inputs.check_before".into(), &Value::Null));
    let deploy = workflow("deploy");
    assert_eq!(deploy["jobs"]["prod"]["with"]["check_before"], "${{ !inputs.prod_is_broken }}");
    let input = &deploy["on"]["workflow_dispatch"]["inputs"]["prod_is_broken"];
    assert_eq!((&input["type"], &input["default"]), (&"boolean".into(), &false.into()));

    // The role can call this one function, whose role can do what a till can.
    let template = document("deploy/pipeline.yaml");
    let statements = &template["Resources"]["DeployRole"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"];
    let invoking = |statement: &&Value| statement["Action"].to_string().contains("lambda:Invoke");
    let [call] = statements.as_array().unwrap().iter().filter(invoking).collect::<Vec<_>>()[..] else { panic!("{statements}") };
    assert_eq!(call["Action"], "lambda:InvokeFunction");
    assert!(call["Resource"].as_str().unwrap().ends_with(":function:${PortalStack}-CanaryFunction-*"), "{call}");
}

/// Runs `.ci/canary` with an AWS CLI that finds this function, and answers a call with this error.
fn canary(function: &str, error: &str) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let aws = folder.path().join("aws");
    let script = format!(
        "#!/bin/sh\necho \"$AWS_MAX_ATTEMPTS $*\" >>{folder}/calls\n\
         case $1 in cloudformation) echo '{function}' ;; *) for last; do :; done; echo reason >\"$last\"; echo '{error}' ;; esac\n",
        folder = folder.path().display()
    );
    std::fs::write(&aws, script).unwrap();
    std::fs::set_permissions(&aws, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let output = Command::new(workspace_root().join(".ci/canary")).arg("portal-dev").env("PATH", path).output().unwrap();
    (output.status.success(), std::fs::read_to_string(folder.path().join("calls")).unwrap())
}

#[test]
fn the_check_fails_if_the_canary_does_or_does_not_exist_and_sells_once() {
    for (function, error, succeeds) in [
        ("portal-dev-CanaryFunction-1", "None", true),
        ("portal-dev-CanaryFunction-1", "Unhandled", false),
        ("None", "None", false),
        ("", "None", false),
    ] {
        let (succeeded, calls) = canary(function, error);
        assert_eq!(succeeded, succeeds, "{function} {error}: {calls}");
        let sales = calls.matches("lambda invoke --function-name portal-dev-CanaryFunction-1 ").count();
        assert_eq!(sales, usize::from(function.starts_with("portal")), "{calls}");
        assert!(calls.lines().all(|call| call.starts_with("1 ")), "the CLI repeats no call: {calls}");
    }
}

/// Runs `deploy/preflight` for `prod`, with these settings in `samconfig.toml` besides its own, and an AWS CLI that knows this, and
/// which policies of tills are deployed.
fn preflight(
    settings: &str,
    limit: u32,
    portal: Option<&Value>,
    clients: Option<&Value>,
    policy: &str,
    deployed: &Value,
    goes_back: &str,
) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = |file: &str| folder.path().join(file);
    std::fs::create_dir(path("deploy")).unwrap();
    for file in ["deploy/permissions.txt", "deploy/preflight", "deploy/stack-policy.json"] {
        std::fs::copy(workspace_root().join(file), path(file)).unwrap();
    }
    let own = std::fs::read_to_string(workspace_root().join("samconfig.toml")).unwrap();
    let (before, of_stage) = own.split_once("[prod.global.parameters]\n").unwrap();
    let of_stage = of_stage.replacen("parameter_overrides = [\n", &format!("parameter_overrides = [\n{settings}"), 1);
    std::fs::write(path("samconfig.toml"), format!("{before}[prod.global.parameters]\n{of_stage}")).unwrap();
    let stack = |parameters: Option<&Value>| match parameters {
        Some(parameters) => format!("printf %s '{}'", json!({"Stacks": [{"Parameters": parameters}]})),
        None => "echo 'Stack with id … does not exist' >&2; exit 254".to_owned(),
    };
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in\n'lambda get-account-settings --output json') printf %s '{}' ;;\n\
         *'describe-stacks --stack-name portal-prod --output json') {} ;;\n*'describe-stacks --stack-name portal-prod-clients --output json') {} ;;\n\
         *'get-template --stack-name portal-prod --template-stage Processed --output json') printf %s '{}' ;;\n\
         *'get-stack-policy --stack-name portal-prod'*) printf %s '{}' ;;\n*) exit 9 ;;\nesac\n",
        json!({"AccountLimit": {"ConcurrentExecutions": limit}}),
        stack(portal),
        stack(clients),
        json!({"TemplateBody": {"Resources": {"PosFunctionRole": {"Type": "AWS::IAM::Role", "Properties": {"Policies": deployed}}}}}),
        if policy.is_empty() { String::new() } else { json!({"StackPolicyBody": policy}).to_string() },
    );
    std::fs::write(path("aws"), script).unwrap();
    std::fs::set_permissions(path("aws"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let search = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    // Not a version manager, which would search its own folder first.
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable, end='')"]).output().unwrap().stdout;
    let program = Command::new(String::from_utf8(python).unwrap())
        .arg(path("deploy/preflight"))
        .arg("prod")
        .env("PATH", search)
        .env("GOES_BACK", goes_back)
        .output();
    let output = program.unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.success(), said.is_empty(), "{said}");
    said
}

#[test]
fn a_deployment_that_would_be_rolled_back_or_take_pages_offline_is_refused() {
    const OWN: &str = "abcdef1234.execute-api.eu-west-1.amazonaws.com";
    let policy = &std::fs::read_to_string(workspace_root().join("deploy/stack-policy.json")).unwrap();
    let value = |name: &str, value: &str| json!({"ParameterKey": name, "ParameterValue": value});
    let portal = json!([value("PortalApiDomain", "a.example"), value("PublicApiDomain", "b.example")]);
    let clients = |host: &str| json!([{"ParameterKey": "PublicApiHost", "ParameterValue": "/portal-prod/public-api-host", "ResolvedValue": host}]);
    let domains = "\"PortalApiDomain=a.example\",\n\"PublicApiDomain=b.example\",\n";
    let disabled = &format!("{domains}\"ExecuteApiEndpoints=disabled\",\n");
    let kept = json!([portal[0], portal[1], value("ExecuteApiEndpoints", "disabled")]);
    let (old, new) = (&clients(OWN), &clients("b.example"));
    for (case, settings, limit, portal, clients, policy, expected) in [
        ("the first deployment", "", 440, None, None, "", ""),
        ("a new account", "", 10, None, None, "", "may run 10 functions at once, and the stage needs 440"),
        ("too little by one", "", 439, None, None, "", "needs 440"),
        ("the domains", domains, 1000, Some(&json!([])), Some(old), policy, ""),
        ("the shops' pages have the old address", disabled, 1000, Some(&portal), Some(old), policy, OWN),
        ("also if the parameter is kept", domains, 1000, Some(&kept), Some(old), policy, OWN),
        ("all have the domains", disabled, 1000, Some(&portal), Some(new), policy, ""),
        ("clients on other servers", disabled, 1000, Some(&portal), None, policy, ""),
        ("both in one", disabled, 1000, Some(&json!([])), None, policy, "CloudFront of the portal calls API Gateway"),
        ("no stack policy", "", 1000, Some(&portal), None, "", "set-stack-policy --stack-name portal-prod "),
        ("another stack policy", "", 1000, Some(&portal), None, "{}", "set-stack-policy --stack-name portal-prod "),
    ] {
        let said = preflight(settings, limit, portal, clients, policy, &json!([]), "");
        assert!(said.contains(expected) && said.is_empty() == expected.is_empty(), "{case}: {said}");
    }
}

#[test]
fn a_release_that_takes_away_what_the_version_before_needs_is_refused() {
    let policy = &std::fs::read_to_string(workspace_root().join("deploy/stack-policy.json")).unwrap();
    let table = json!({"Fn::Sub": "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${TableInUse.Value}"});
    let statement = |sid: &str, actions: Value, keys: &[&str]| {
        let condition = json!({"ForAllValues:StringLike": {"dynamodb:LeadingKeys": keys}});
        json!({"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": table, "Condition": condition})
    };
    let secret =
        json!({"Sid": "Key", "Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Resource": {"Ref": "OldSecretArn"}});
    let former =
        json!({"Fn::If": ["HasFormerTable", statement("ReadFormer", json!("dynamodb:Scan"), &["X#*"]), {"Ref": "AWS::NoValue"}]});
    for (case, statements, expected) in [
        ("what stays", json!([statement("Read", json!(["dynamodb:GetItem"]), &["MERCHANT#*", "ORDER#*"]), former]), &[][..]),
        (
            "a key and an action",
            json!([statement("Read", json!(["dynamodb:GetItem", "dynamodb:Scan"]), &["MERCHANT#*", "GONE#*"])]),
            &[
                "PosFunctionRole dynamodb:GetItem table/${TableInUse.Value} GONE#*",
                "PosFunctionRole dynamodb:Scan table/${TableInUse.Value} GONE#*",
                "PosFunctionRole dynamodb:Scan table/${TableInUse.Value} MERCHANT#*",
            ],
        ),
        ("another secret", json!([secret]), &["PosFunctionRole secretsmanager:GetSecretValue OldSecretArn"]),
        ("for one release", json!([statement("ReadUntilNextRelease", json!("dynamodb:GetItem"), &["GONE#*"])]), &[]),
    ] {
        let deployed = json!([{"PolicyDocument": {"Statement": statements}}]);
        let preflight = |goes_back| preflight("", 1000, Some(&json!([])), None, policy, &deployed, goes_back);
        let said = preflight("false");
        let refused: Vec<&str> =
            said.lines().map(|line| line.split(": ").nth(1).unwrap().split(". Keep").next().unwrap()).collect();
        assert_eq!(refused, expected, "{case}");
        // An earlier commit lacks what the release to be replaced has brought.
        assert_eq!(preflight("true"), "", "{case}");
    }
    for stage in ["dev", "prod"] {
        assert_eq!(workflow("deploy")["jobs"][stage]["with"]["goes_back"], "${{ inputs.goes_back || false }}");
    }
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
    let properties = |name: &str| &template["Resources"][name]["Properties"];
    let of_roles = ["DeployRole", "StackRole"].map(|role| &properties(role)["Policies"][0]["PolicyDocument"]);
    for policy in of_roles.into_iter().chain([&properties("StackPolicy")["PolicyDocument"]]) {
        for statement in policy["Statement"].as_array().unwrap().iter().filter(|statement| statement["Effect"] == "Allow") {
            let actions = match &statement["Action"] {
                Value::Array(actions) => actions.clone(),
                action => vec![action.clone()],
            };
            let resource = statement["Resource"].to_string();
            for action in actions.iter().map(|action| action.as_str().unwrap()) {
                assert_ne!(action, "*");
                let (service, name) = action.split_once(':').unwrap();
                let reads_rows = ["*", "GetItem", "Query", "Scan", "PutItem", "BatchGetItem"].contains(&name);
                assert!(!(service == "dynamodb" && reads_rows), "{action}");
                // The uploaded builds, and the files of the clients, which everybody can read.
                let is_object = service == "s3" && (name.contains("Object") && !name.contains("Lock") || name == "*");
                let holds_no_data = ["aws-sam-cli-managed-default-", "${PortalStack}-clients-files-"]
                    .iter()
                    .any(|bucket| resource.contains(&format!(":::{bucket}")));
                assert!(!is_object || holds_no_data, "{action}");
                // Those that the stack generates for CloudFront.
                let reads_secrets = service == "secretsmanager" && ["*", "GetSecretValue", "BatchGetSecretValue"].contains(&name);
                assert!(!reads_secrets || resource.ends_with(":secret:${PortalStack}/front/*\""), "{action}");
            }
        }
    }
}

#[test]
fn no_role_of_the_stack_is_without_its_boundary() {
    let template = document("template.yaml");
    let boundary = json!({"!If": ["HasPermissionsBoundary", "${PermissionsBoundaryArn}", "${AWS::NoValue}"]});
    assert_eq!(template["Globals"]["Function"]["PermissionsBoundary"], boundary);
    let resources = &template["Resources"];
    let schedule = &resources["SweepFunction"]["Properties"]["Events"]["EveryMinute"]["Properties"];
    let canary = &resources["CanaryFunction"]["Properties"]["Events"]["EveryFiveMinutes"]["Properties"];
    let others = ["RolloutRole", "RolloutHookRole"].map(|role| &resources[role]["Properties"]);
    for role in [schedule, canary].into_iter().chain(others) {
        assert_eq!(role["PermissionsBoundary"], boundary);
    }
    let pipeline = document("deploy/pipeline.yaml");
    let policy = &pipeline["Resources"]["StackRole"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"];
    for action in ["iam:CreateRole", "iam:PutRolePolicy", "iam:AttachRolePolicy", "iam:PutRolePermissionsBoundary"] {
        let allows = |statement: &&Value| statement["Action"].as_array().is_some_and(|actions| actions.contains(&action.into()));
        for statement in policy.as_array().unwrap().iter().filter(allows) {
            assert_eq!(statement["Condition"]["StringEquals"]["iam:PermissionsBoundary"], "${Boundary}", "{action}");
        }
    }
}

/// A tag can be moved to another commit.
#[test]
fn actions_of_others_are_named_by_their_commit() {
    for file in std::fs::read_dir(workspace_root().join(".github/workflows")).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for line in text.lines().filter(|line| line.contains("uses: ") && !line.contains("uses: ./")) {
            let (_, version) = line.split_once('@').unwrap();
            let (commit, tag) = version.split_once(" # v").unwrap_or_else(|| panic!("{line} does not name the version"));
            assert!(commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
            assert!(!tag.is_empty(), "{line}");
        }
    }
}

#[test]
fn a_deployment_installs_tools_by_their_hash_in_the_versions_of_the_checks() {
    let deploy = workflow("deploy");
    let stage = workflow("deploy-stage");
    for (job, tools) in [(&deploy["jobs"]["build"], &["sam", "cargo-lambda"][..]), (&stage["jobs"]["deploy"], &["sam"])] {
        let commands = commands(job);
        let installed: Vec<&str> = commands.lines().filter(|line| line.contains("pip install")).collect();
        let expected = tools.iter().map(|tool| format!("pip install --no-deps --require-hashes --requirement .ci/{tool}.txt"));
        assert_eq!(installed, expected.collect::<Vec<_>>());
    }
    let read = |file: &str| std::fs::read_to_string(workspace_root().join(file)).unwrap();
    for (lock, checks, package) in
        [(".ci/sam.txt", ".ci/template", "aws-sam-cli=="), (".ci/cargo-lambda.txt", ".ci/lib", "cargo-lambda==")]
    {
        let version = |file: &str| {
            let text = read(file);
            let (_, rest) = text.split_once(&format!("{}{package}", if file == lock { "\n" } else { "" })).unwrap();
            rest.split([' ', '\n']).next().unwrap().to_owned()
        };
        assert_eq!(version(lock), version(checks), "{package}");
    }
    // The stage has no other files.
    let kept = ".aws-sam/build .aws-sam/clients .aws-sam/sbom.cdx.json .ci/canary .ci/sam.txt deploy/clients.yaml deploy/permissions.txt deploy/preflight deploy/publish-clients deploy/stack-policy.json samconfig.toml";
    assert!(commands(&deploy["jobs"]["build"]).lines().any(|line| line == format!("tar --create --file build.tar {kept}")));
}

#[test]
fn a_build_has_its_bill_of_materials() {
    let build = commands(&workflow("deploy")["jobs"]["build"]);
    let (made, kept) = (build.find(".ci/sbom .aws-sam/sbom.cdx.json\n"), build.find("tar --create --file build.tar "));
    assert!(made.is_some() && made < kept, "{build}");
    let hashes = std::fs::read_to_string(workspace_root().join(".ci/sbom.txt")).unwrap();
    let script = std::fs::read_to_string(workspace_root().join(".ci/sbom")).unwrap();
    assert!(hashes.contains("\ncyclonedx-python-lib") && script.contains("--require-hashes --requirement .ci/sbom.txt"));
}

#[test]
fn the_clients_are_published_after_the_portal_is_deployed_and_the_role_may_do_what_that_takes() {
    let stage = commands(&workflow("deploy-stage")["jobs"]["deploy"]);
    let steps = [
        "sam deploy --config-file samconfig.toml --config-env \"$STAGE\" ",
        "sam deploy --config-file samconfig.toml --config-env \"$STAGE-clients\" --template-file deploy/clients.yaml ",
        "deploy/publish-clients .aws-sam/clients \"portal-$STAGE-clients\"",
    ];
    let places = steps.map(|step| stage.find(step).unwrap_or_else(|| panic!("no {step}")));
    assert!(places.is_sorted(), "{stage}");

    let template = document("deploy/pipeline.yaml");
    let statements = &template["Resources"]["DeployRole"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"];
    let statement = |sid: &str| statements.as_array().unwrap().iter().find(|statement| statement["Sid"] == sid).unwrap();
    let arn = |service: &str, rest: &str| format!("arn:${{AWS::Partition}}:{service}{rest}");
    let bucket = |rest: &str| arn("s3", &format!(":::${{PortalStack}}-clients-files-*{rest}"));
    for (sid, action, resource) in [
        ("PublishClients", "s3:PutObject", bucket("/*")),
        ("FindReleasesOfTheDashboard", "s3:ListBucket", bucket("")),
        ("RemoveReleasesOfTheDashboard", "s3:DeleteObject", bucket("/dashboard/v/*")),
        ("InvalidateCaches", "cloudfront:CreateInvalidation", arn("cloudfront", "::${AWS::AccountId}:distribution/*")),
    ] {
        let allowed = statement(sid);
        assert_eq!((&allowed["Action"], &allowed["Resource"]), (&json!(action), &json!(resource)), "{sid}");
    }
    let stacks = statement("DeployStack")["Resource"].as_array().unwrap();
    assert!(stacks.iter().any(|stack| stack.as_str().is_some_and(|arn| arn.ends_with(":stack/${PortalStack}-clients/*"))));
}

#[test]
fn a_stuck_update_is_continued_by_the_role_of_the_stage() {
    let job = &workflow("unstick")["jobs"]["unstick"];
    assert_eq!(job["environment"], "${{ inputs.stage }}");
    assert_eq!(job["env"]["STACK"], "portal-${{ inputs.stage }}${{ inputs.stack == 'clients' && '-clients' || '' }}");
    let template = document("deploy/pipeline.yaml");
    let statements = &template["Resources"]["DeployRole"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"];
    let allowed = statements[0]["Action"].as_array().unwrap();
    for (command, action) in
        [("continue-update-rollback", "ContinueUpdateRollback"), ("cancel-update-stack", "CancelUpdateStack")]
    {
        assert!(commands(job).contains(&format!("aws cloudformation {command} ")), "{command}");
        assert!(allowed.contains(&format!("cloudformation:{action}").into()), "{action}");
    }
}
