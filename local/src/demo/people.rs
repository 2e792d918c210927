//! Users and invites.

use serde_json::{Value, json};

use super::{ADMIN, PLATFORM_ADMIN, SECOND_PLATFORM_ADMIN};

pub(super) fn users() -> Value {
    json!([
        {
            "id": ADMIN, "email": "anna@aurora.example", "firstName": "Anna", "lastName": "Berg",
            "emailVerified": true,
            "phonePrefix": "+46", "phone": "700000001", "merchantId": "m-aurora", "merchantTeamRole": "ADMIN"
        },
        {
            "id": "u-felix", "email": "felix@aurora.example", "firstName": "Felix", "lastName": "Strand",
            "emailVerified": true,
            "phonePrefix": "+46", "phone": "700000002", "merchantId": "m-aurora", "merchantTeamRole": "FULL"
        },
        {
            "id": "u-vera", "email": "vera@aurora.example", "firstName": "Vera", "lastName": "Lund",
            "emailVerified": true, "merchantId": "m-aurora", "merchantTeamRole": "VIEWER"
        },
        // A user without a role, as created before roles existed.
        {
            "id": "u-olle", "email": "olle@aurora.example", "firstName": "Olle", "lastName": "Ek",
            "emailVerified": true, "merchantId": "m-aurora"
        },
        {
            "id": "u-nora", "email": "Nora@Aurora.example", "firstName": "Nora", "lastName": "Holm",
            "emailVerified": false, "merchantId": "m-aurora", "merchantTeamRole": "VIEWER"
        },
        {
            "id": "u-till", "email": "till@aurora.example", "firstName": "Till", "lastName": "Main street",
            "emailVerified": true, "merchantId": "m-aurora", "permissions": ["portal.pos"]
        },
        {
            "id": "u-haru", "email": "haru@hinode.example", "firstName": "Haru", "lastName": "Mori",
            "emailVerified": true,
            "phonePrefix": "+81", "phone": "9000000003", "merchantId": "m-hinode", "merchantTeamRole": "ADMIN"
        },
        {
            "id": "u-lena", "email": "lena@linden.example", "firstName": "Lena", "lastName": "Wolf",
            "emailVerified": true, "phonePrefix": "+49", "phone": "15100000004", "merchantId": "m-linden",
            "merchantTeamRole": "ADMIN"
        },
        {
            "id": "u-freya", "email": "freya@fjord.example", "firstName": "Freya", "lastName": "Haugen",
            "emailVerified": true, "merchantId": "m-fjord", "merchantTeamRole": "ADMIN"
        },
        {
            "id": PLATFORM_ADMIN, "email": "root@portal.example", "firstName": "Robin", "lastName": "Root",
            "emailVerified": true, "isAdmin": true
        },
        {
            "id": SECOND_PLATFORM_ADMIN, "email": "rut@portal.example", "firstName": "Rut", "lastName": "Sund",
            "emailVerified": true, "isAdmin": true
        },
        {
            "id": "u-noah", "email": "noah@mail.example", "firstName": "Noah", "lastName": "Grant",
            "emailVerified": true
        },
        {
            "id": "u-iris", "email": "iris@mail.example", "firstName": "Iris", "lastName": "Sand",
            "emailVerified": true
        }
    ])
}

/// One invite in each state. The last one is accepted.
pub(super) fn invites() -> Value {
    json!([
        {
            "challengeId": "ch-1", "merchantId": "m-aurora", "email": "iris@mail.example",
            "firstName": "Iris", "lastName": "Sand", "merchantTeamRole": "FULL",
            "verifiedAt": "now-1d", "verificationExpiresAt": "now-1d", "expiresAt": "now+6d"
        },
        {
            "challengeId": "ch-2", "merchantId": "m-aurora", "email": "jon@mail.example", "firstName": "Jon",
            "lastName": "Kvist", "merchantTeamRole": "VIEWER",
            "verificationExpiresAt": "now+10m", "expiresAt": "now+7d"
        },
        {
            "challengeId": "ch-3", "merchantId": "m-aurora", "email": "kim@mail.example", "firstName": "Kim",
            "lastName": "Nord", "merchantTeamRole": "VIEWER",
            "verificationExpiresAt": "now-2d", "expiresAt": "now+5d"
        },
        {
            "challengeId": "ch-4", "merchantId": "m-aurora", "email": "lo@mail.example", "firstName": "Lo",
            "lastName": "Palm", "phonePrefix": "+46", "phone": "700000005", "merchantTeamRole": "ADMIN",
            "verifiedAt": "now-20d", "verificationExpiresAt": "now-20d", "expiresAt": "now-13d"
        },
        {
            "challengeId": "ch-5", "merchantId": "m-aurora", "email": "felix@aurora.example",
            "firstName": "Felix", "lastName": "Strand", "merchantTeamRole": "FULL",
            "verifiedAt": "now-3d", "verificationExpiresAt": "now-3d", "expiresAt": "now+4d"
        }
    ])
}
