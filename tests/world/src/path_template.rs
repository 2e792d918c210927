/// Whether a path matches a template such as `/api/bff/offers/{id}`, in which `{id}` matches any segment.
pub fn matches_path_template(template: &str, path: &str) -> bool {
    let (template, path): (Vec<&str>, Vec<&str>) = (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template.iter().zip(path).all(|(expected, segment)| expected.starts_with('{') || *expected == segment)
}
