//! Roles and permissions in requests.

use crate::http::Invalid;
use crate::team::model::team::{Permission, Powers, Role};

/// The powers of a request that gives either a role or a list of permissions. 400 for both, neither or an empty list.
pub fn powers(role: Option<Role>, permissions: Option<&[Permission]>) -> Result<Powers, Invalid> {
    match (role, permissions) {
        (Some(role), None) => Ok(Powers::of_role(role)),
        (None, Some([])) => Err(Invalid::new("permissions: must not be empty.")),
        (None, Some(permissions)) => Ok(Powers::of_permissions(permissions)),
        _ => Err(Invalid::new("merchantTeamRole, permissions: exactly one of them must be given.")),
    }
}
