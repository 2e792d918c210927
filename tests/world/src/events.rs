use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::workspace_root;

/// Returns an event of the folder `events/`, such as `pos/issue`.
pub fn event(name: &str) -> Value {
    let path = workspace_root().join("events").join(name).with_extension("json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Returns all events of the folder `events/` by name. The first part of a name is the function.
pub fn events() -> BTreeMap<String, Value> {
    let folders = fs::read_dir(workspace_root().join("events")).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    files
        .map(|file| {
            let function = file.parent().unwrap().file_name().unwrap().to_str().unwrap();
            let name = format!("{function}/{}", file.file_stem().unwrap().to_str().unwrap());
            let event = event(&name);
            (name, event)
        })
        .collect()
}
