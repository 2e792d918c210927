//! The layers of the crate: which file may use which. Imports between files must not form cycles, nor those of a function.
//!
//! The folder of a subject has up to four floors: `model`, `rows`, the files of the subject itself, and `view`. A file may use those of
//! all layers below its own, and those of its own layer unless the layer says that its modules are apart.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// External crates that only some layers may use, by name or by a prefix that ends with an underscore.
const PURE: &[&str] = &["aws_", "axum", "http", "lambda_", "reqwest", "serde_dynamo", "serde_json", "tokio"];
const WITHOUT_AWS_AND_HTTP: &[&str] = &["aws_", "axum", "http", "lambda_"];
const WITHOUT_HTTP: &[&str] = &["axum", "http", "lambda_"];
const WITHOUT_SERVERS: &[&str] = &["axum", "lambda_"];
const ANY: &[&str] = &[];

/// From the bottom to the top. ARCHITECTURE.md explains them.
const LAYERS: [Layer; 20] = [
    Layer::of(&["values"], PURE),
    Layer::of(&[MODEL], PURE),
    Layer::of(&["base"], WITHOUT_SERVERS),
    Layer::of(&["aws"], WITHOUT_SERVERS),
    Layer::of(&["db"], WITHOUT_SERVERS),
    Layer::of(&[ROWS], WITHOUT_SERVERS),
    Layer::apart(&["card_network", "verifier"], WITHOUT_SERVERS),
    Layer::of(&["keys"], WITHOUT_AWS_AND_HTTP),
    Layer::of(&["merchants"], WITHOUT_AWS_AND_HTTP),
    Layer::of(&["team"], WITHOUT_AWS_AND_HTTP),
    Layer::of(&["offers"], WITHOUT_AWS_AND_HTTP),
    Layer::of(&["cards"], WITHOUT_AWS_AND_HTTP),
    Layer::of(&["settlements"], WITHOUT_AWS_AND_HTTP),
    Layer::of(&["projections"], WITHOUT_AWS_AND_HTTP),
    Layer::of(&["webhooks"], WITHOUT_SERVERS),
    Layer::of(&["app"], WITHOUT_SERVERS),
    Layer::apart(&["operations", "payouts"], WITHOUT_HTTP),
    Layer::of(&["http"], ANY),
    Layer::of(&[VIEW, "limits"], ANY),
    Layer::of(&["lambda"], ANY),
];

/// Folders or files of this name are a layer of their own, in whichever subject.
const MODEL: &str = "model";
const ROWS: &str = "rows";
const VIEW: &str = "view";

struct Layer {
    modules: &'static [&'static str],
    /// Whether its modules may not use each other.
    are_apart: bool,
    forbidden_crates: &'static [&'static str],
}

impl Layer {
    const fn of(modules: &'static [&'static str], forbidden_crates: &'static [&'static str]) -> Self {
        Self { modules, are_apart: false, forbidden_crates }
    }

    const fn apart(modules: &'static [&'static str], forbidden_crates: &'static [&'static str]) -> Self {
        Self { modules, are_apart: true, forbidden_crates }
    }
}

#[test]
fn files_use_only_the_layers_below() {
    let mut violations = Vec::new();
    let root = crate_folder().join("src");
    let files = source_files(&root);
    let paths: BTreeSet<PathBuf> = files.iter().map(|(file, _)| file.clone()).collect();
    for (file, source) in &files {
        let (layer, module) = layer_of(file);
        for import in imports(&root, file, source) {
            match &import {
                Import::Module(path) => {
                    let Some(used) = file_of(path, &paths) else { continue };
                    let (used_layer, used_module) = layer_of(&used);
                    let is_apart = used_layer == layer && LAYERS[layer].are_apart && used_module != module;
                    if used_layer > layer || is_apart {
                        violations.push(format!("{} may not use {path}.", file.display()));
                    }
                }
                Import::Crate(name) => {
                    let is_forbidden = LAYERS[layer]
                        .forbidden_crates
                        .iter()
                        .any(|forbidden| name == forbidden || (forbidden.ends_with('_') && name.starts_with(forbidden)));
                    if is_forbidden {
                        violations.push(format!("{} may not use the crate {name}.", file.display()));
                    }
                }
            }
        }
    }
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

#[test]
fn the_documentation_has_the_same_layers() {
    let text = fs::read_to_string(crate_folder().join("../ARCHITECTURE.md")).unwrap();
    let rows = text.lines().skip_while(|line| !line.starts_with("## Layers")).filter(|line| line.starts_with("| `"));
    let names = rows.take(LAYERS.len()).map(|row| row.split('|').nth(1).unwrap().trim().replace('`', ""));
    let layers = LAYERS.iter().map(|layer| layer.modules.join(", "));
    assert_eq!(names.collect::<Vec<_>>(), layers.collect::<Vec<_>>());
}

#[test]
fn imports_between_files_have_no_cycles() {
    let functions = fs::read_dir(crate_folder().join("../functions")).unwrap();
    let functions = functions.map(|function| function.unwrap().path().join("src"));
    for root in functions.chain([crate_folder().join("src")]) {
        let in_cycles = files_in_cycles(&root);
        assert!(in_cycles.is_empty(), "{}: files in an import cycle, or that import such files: {in_cycles:#?}", root.display());
    }
}

/// The files that import each other in a circle, and those that import such files.
fn files_in_cycles(root: &Path) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
    let files = source_files(root);
    let paths: BTreeSet<PathBuf> = files.iter().map(|(file, _)| file.clone()).collect();
    let mut uses: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
    for (file, source) in &files {
        let modules = imports(root, file, source).into_iter().filter_map(|import| match import {
            Import::Module(path) => Some(path),
            Import::Crate(_) => None,
        });
        let used = modules.filter_map(|path| file_of(&path, &paths)).filter(|used| used != file);
        uses.insert(file.clone(), used.collect());
    }
    // Removes files without remaining imports, until only cycles and the files that import them are left.
    loop {
        let done: BTreeSet<PathBuf> = uses.iter().filter(|(_, used)| used.is_empty()).map(|(file, _)| file.clone()).collect();
        if done.is_empty() {
            return uses;
        }
        uses.retain(|file, _| !done.contains(file));
        for used in uses.values_mut() {
            used.retain(|file| !done.contains(file));
        }
    }
}

enum Import {
    /// A path within the crate, without `crate::`.
    Module(String),
    Crate(String),
}

fn crate_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The source files of a crate below `root`, without `lib.rs`, up to their tests.
fn source_files(root: &Path) -> Vec<(PathBuf, String)> {
    let mut folders = vec![root.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("lib.rs") {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
                files.push((path.strip_prefix(root).unwrap().to_owned(), code));
            }
        }
    }
    files.sort();
    files
}

/// The layer of a file, and the module by which it belongs to it.
fn layer_of(file: &Path) -> (usize, String) {
    let path = module_path(file);
    let floor = path.iter().skip(1).find(|part| [MODEL, ROWS, VIEW].contains(&part.as_str()));
    let module = floor.unwrap_or(&path[0]);
    let layer = LAYERS.iter().position(|layer| layer.modules.contains(&module.as_str()));
    (layer.unwrap_or_else(|| panic!("{}: the module is in no layer", file.display())), module.clone())
}

/// `db/keys.rs` is `["db", "keys"]`, and `db/mod.rs` is `["db"]`.
fn module_path(file: &Path) -> Vec<String> {
    let mut parts: Vec<String> = file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// The file that defines a module path: the longest part of the path that is a file.
fn file_of(path: &str, files: &BTreeSet<PathBuf>) -> Option<PathBuf> {
    let parts: Vec<&str> = path.split("::").collect();
    (1..=parts.len()).rev().find_map(|length| {
        let module: PathBuf = parts[..length].iter().collect();
        [module.with_extension("rs"), module.join("mod.rs")].into_iter().find(|file| files.contains(file))
    })
}

/// The imports of a file: its `use` declarations, and inline paths that begin with `crate` or `super`. Those of a macro, which begin
/// with `$crate`, are imports of the files that use it.
fn imports(root: &Path, file: &Path, source: &str) -> Vec<Import> {
    let code: String = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let own = module_path(file);
    let used = code.split_inclusive(';').filter_map(use_tree);
    let paths: Vec<String> = used.flat_map(|tree| expand(&tree)).chain(inline_paths(&code)).collect();
    paths.iter().filter_map(|path| resolve(path, &own, &root.join(file))).collect()
}

/// The tree of a statement that ends with a `use` declaration. Above a module within the file is the file itself.
fn use_tree(statement: &str) -> Option<String> {
    let start = statement.rfind("use ")?;
    let before = statement[..start].trim_end();
    let is_declaration = before.is_empty() || before.ends_with(['{', '}', ';', ')', ']']) || before.ends_with("pub");
    let is_in_inner_module = statement[..start].ends_with("    ");
    let tree: String = statement[start + 4..].trim_end_matches(';').split_whitespace().collect();
    is_declaration.then(|| if is_in_inner_module { tree.replacen("super", "self", 1) } else { tree })
}

/// `a::{b, c::{d, e}}` is `a::b`, `a::c::d` and `a::c::e`.
fn expand(tree: &str) -> Vec<String> {
    let Some(open) = tree.find('{') else { return vec![tree.to_owned()] };
    let (prefix, inner) = (&tree[..open], tree[open + 1..].trim_end_matches('}'));
    let (mut depth, mut start, mut branches) = (0, 0, Vec::new());
    for (position, character) in inner.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                branches.push(&inner[start..position]);
                start = position + 1;
            }
            _ => {}
        }
    }
    branches.push(&inner[start..]);
    let branches = branches.into_iter().filter(|branch| !branch.is_empty());
    branches.flat_map(|branch| expand(&format!("{prefix}{branch}"))).collect()
}

/// Paths within expressions and types: those that begin with `crate` or `super`, and those that begin with an external
/// crate of some layer's list.
fn inline_paths(code: &str) -> Vec<String> {
    let crates = LAYERS.iter().flat_map(|layer| layer.forbidden_crates);
    let roots: BTreeSet<&str> = crates.copied().chain(["crate", "super"]).collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = code.match_indices(is_word).map(|(start, _)| start);
    words
        .filter(|start| !code[..*start].ends_with(|c: char| is_word(c) || c == ':' || c == '$'))
        .filter_map(|start| {
            let rest = &code[start..];
            let end = rest.find(|c: char| !is_word(c) && c != ':').unwrap_or(rest.len());
            let (root, _) = rest[..end].split_once("::")?;
            let is_root = |known: &&str| root == *known || (known.ends_with('_') && root.starts_with(*known));
            // A root alone is that of a `use` declaration.
            let path = rest[..end].trim_end_matches(':');
            (path.contains("::") && roots.iter().any(is_root)).then(|| path.to_owned())
        })
        .collect()
}

/// Resolves a path in a file to a module of the crate or to an external crate.
fn resolve(path: &str, own: &[String], file: &Path) -> Option<Import> {
    let mut parts: Vec<&str> = path.split("::").collect();
    let mut base: Vec<String> = match parts.first().copied()? {
        "crate" => Vec::new(),
        "super" => own[..own.len() - 1].to_vec(),
        "self" => own.to_vec(),
        "std" | "core" => return None,
        child if is_child(file, child) => own.iter().cloned().chain([child.to_owned()]).collect(),
        external => return Some(Import::Crate(external.to_owned())),
    };
    parts.remove(0);
    while parts.first() == Some(&"super") {
        base.pop();
        parts.remove(0);
    }
    base.extend(parts.into_iter().map(str::to_owned));
    let path = base.join("::");
    (!path.is_empty()).then_some(Import::Module(path))
}

/// Whether the file has a child module of this name.
fn is_child(file: &Path, name: &str) -> bool {
    let folder = if file.ends_with("mod.rs") { file.parent().unwrap().to_owned() } else { file.with_extension("") };
    folder.join(name).with_extension("rs").exists() || folder.join(name).join("mod.rs").exists()
}
