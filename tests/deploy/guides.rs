//! The shell commands of the guides.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use world::workspace_root;

/// A block of commands, with where it is.
struct Block {
    place: String,
    text: String,
}

fn guides() -> Vec<PathBuf> {
    let root = workspace_root();
    let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|file| file.unwrap().path());
    let docs = docs.filter(|file| file.extension().is_some_and(|end| end == "md"));
    docs.chain(["README.md", "CONTRIBUTING.md"].map(|file| root.join(file))).collect()
}

/// The blocks of a guide, without the indentation of a list.
fn blocks(guide: &PathBuf) -> Vec<Block> {
    let text = std::fs::read_to_string(guide).unwrap();
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(indent) = line.strip_suffix("```sh") else { continue };
        let body = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```");
        let body: Vec<&str> = body.map(|line| line.strip_prefix(indent).unwrap_or(line)).collect();
        blocks.push(Block { place: format!("{}:{}", guide.display(), number + 1), text: body.join("\n") + "\n" });
    }
    blocks
}

#[test]
fn every_block_of_commands_can_be_pasted() {
    let blocks: Vec<Block> = guides().iter().flat_map(blocks).collect();
    assert!(blocks.len() > 50, "{} blocks", blocks.len());
    for Block { place, text } in blocks {
        let mut bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        bash.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = bash.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && error.is_empty(), "{place}: {error}");
    }
}
