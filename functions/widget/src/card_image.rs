//! Images inlined in the response, so that they load on every page that embeds the widget.

/// Returns the image of a gift card in this color (`#rrggbb`) as a `data:` URL. It is percent-encoded, so that it can be
/// embedded in any attribute of HTML or SVG and in any string of CSS.
pub(crate) fn data_url(color: &str) -> String {
    let color = color.trim_start_matches('#');
    format!(
        "data:image/svg+xml,%3Csvg%20xmlns=%27http://www.w3.org/2000/svg%27%20viewBox=%270%200%2032%2020%27%3E\
         %3Crect%20width=%2732%27%20height=%2720%27%20rx=%272%27%20fill=%27%23{color}%27/%3E\
         %3Cpath%20d=%27M0%2012h32M22%200v20%27%20stroke=%27%23fff%27%20stroke-opacity=%27.6%27/%3E%3C/svg%3E"
    )
}
