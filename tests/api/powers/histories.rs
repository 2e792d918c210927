//! Random histories of a team: members invite, confirm, accept, change roles, remove, make codes and pair, one after the other or
//! two at the same time. After each step, the team must be what the rule leads to; after two requests at once, what it leads to
//! in one of the two orders.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use futures_util::future::join;
use serde_json::json;
use shared::db::Write;
use shared::merchants::model::merchant::Merchant;
use shared::merchants::rows::merchants::merchant_record;
use shared::team::model::team::{Membership, Stamp, User};
use shared::team::rows::team::user_record;
use shared::values::{MerchantId, UserId};
use world::{Caller, Counts, Histories, SeededRandom, System, client_at};

use super::model::{Member, PERMISSIONS, code_of};
use super::{enrolment, powers};

const STEPS: usize = 16;
/// A merchant invites twenty people a day.
const MAX_INVITES: usize = 18;
/// Mails to an address are limited.
const MAX_CONFIRMATIONS: usize = 3;

type UserNumber = usize;
/// The step that made an invitation or a code.
type Step = usize;

#[derive(Debug, Clone)]
enum Action {
    Invite { by: UserNumber, invited: UserNumber, powers: Member },
    Confirm { by: UserNumber, invite: Step },
    Accept { by: UserNumber, invite: Step },
    Withdraw { by: UserNumber, invite: Step },
    Change { by: UserNumber, target: UserNumber, powers: Member },
    Remove { by: UserNumber, target: UserNumber },
    MakeCode { by: UserNumber },
    Pair { code: Step },
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Invite {
    invited: UserNumber,
    powers: Member,
    maker: UserNumber,
    stamp: u64,
    is_confirmed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Code {
    maker: UserNumber,
    stamp: u64,
}

/// What the team is, as far as the rule says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Team {
    members: BTreeMap<UserNumber, (Member, u64)>,
    platform: Vec<UserNumber>,
    invites: BTreeMap<Step, Invite>,
    codes: BTreeMap<Step, Code>,
    paired: usize,
    stamps: u64,
}

/// The same in whichever order two requests are applied. Other stamps are smaller.
fn stamp_of(step: Step) -> u64 {
    1_000_000 + u64::try_from(step).unwrap()
}

impl Team {
    fn new_stamp(&mut self) -> u64 {
        self.stamps += 1;
        self.stamps
    }

    fn member(&self, user: UserNumber) -> Option<&Member> {
        self.members.get(&user).map(|(member, _)| member)
    }

    fn passes(&self, user: UserNumber) -> bool {
        let member = self.member(user);
        member.is_some_and(|member| self.platform.contains(&user) || member.holds("merchant.team.invite"))
    }

    fn may_give(&self, user: UserNumber, powers: &Member) -> bool {
        self.member(user).is_some_and(|member| member.may_give(powers))
    }

    fn is_last_administrator(&self, user: UserNumber) -> bool {
        let administrators = self.members.iter().filter(|(_, (member, _))| member.is_administrator()).map(|(user, _)| *user);
        administrators.eq([user])
    }

    fn is_backed(&self, maker: UserNumber, stamp: u64, powers: &Member) -> bool {
        self.members.get(&maker).is_some_and(|(member, now)| *now == stamp && member.may_give(powers))
    }

    /// Whether the rule allows the action, and what it leads to.
    fn apply(&mut self, step: Step, action: &Action) -> bool {
        let till = Member::with_list(&["portal.pos"]);
        match action {
            Action::Invite { by, invited, powers } => {
                let is_invited = self
                    .invites
                    .values()
                    .any(|invite| invite.invited == *invited && self.is_backed(invite.maker, invite.stamp, &invite.powers));
                let is_allowed = self.passes(*by) && self.may_give(*by, powers) && self.member(*invited).is_none() && !is_invited;
                if is_allowed {
                    self.invites.retain(|_, invite| invite.invited != *invited);
                    let (invited, powers, maker) = (*invited, powers.given(), *by);
                    let stamp = self.members[by].1;
                    let invite = Invite { invited, powers, maker, stamp, is_confirmed: false };
                    self.invites.insert(step, invite);
                }
                is_allowed
            }
            Action::Confirm { by, invite } => {
                let Some(found) = self.invites.get(invite) else { return false };
                let is_allowed = found.maker == *by
                    && self.passes(*by)
                    && !found.is_confirmed
                    && self.is_backed(found.maker, found.stamp, &found.powers);
                if is_allowed {
                    self.invites.get_mut(invite).unwrap().is_confirmed = true;
                }
                is_allowed
            }
            Action::Accept { by, invite } => {
                let Some(found) = self.invites.get(invite).cloned() else { return false };
                let is_allowed = found.invited == *by
                    && found.is_confirmed
                    && self.member(*by).is_none()
                    && self.is_backed(found.maker, found.stamp, &found.powers);
                if is_allowed {
                    self.invites.remove(invite);
                    self.members.insert(*by, (found.powers, stamp_of(step)));
                }
                is_allowed
            }
            Action::Withdraw { by, invite } => self.passes(*by) && self.invites.remove(invite).is_some(),
            Action::Change { by, target, powers } => {
                let Some(held) = self.member(*target).cloned() else { return false };
                let is_allowed = self.passes(*by)
                    && by != target
                    && self.may_give(*by, &held)
                    && self.may_give(*by, powers)
                    && (powers.is_administrator() || !self.is_last_administrator(*target));
                if is_allowed && held != powers.given() {
                    self.members.insert(*target, (powers.given(), stamp_of(step)));
                }
                is_allowed
            }
            Action::Remove { by, target } => {
                let Some(held) = self.member(*target) else { return false };
                let may = by == target || (self.passes(*by) && self.may_give(*by, held));
                let is_allowed = self.member(*by).is_some() && may && !self.is_last_administrator(*target);
                if is_allowed {
                    self.members.remove(target);
                    self.invites.retain(|_, invite| invite.maker != *target);
                    self.codes.retain(|_, code| code.maker != *target);
                }
                is_allowed
            }
            Action::MakeCode { by } => {
                let is_allowed = self.passes(*by) && self.may_give(*by, &till);
                if is_allowed {
                    self.codes.insert(step, Code { maker: *by, stamp: self.members[by].1 });
                }
                is_allowed
            }
            Action::Pair { code } => {
                let Some(found) = self.codes.get(code) else { return false };
                let is_allowed = self.is_backed(found.maker, found.stamp, &till);
                if is_allowed {
                    self.codes.remove(code);
                    self.paired += 1;
                }
                is_allowed
            }
        }
    }

    fn set_platform(&mut self, user: UserNumber, is_admin: bool) {
        let was = self.platform.contains(&user);
        self.platform.retain(|admin| *admin != user);
        if is_admin {
            self.platform.push(user);
        }
        if was != is_admin {
            let stamp = self.new_stamp();
            if let Some((_, known)) = self.members.get_mut(&user) {
                *known = stamp;
            }
        }
    }
}

fn any_powers(random: &mut SeededRandom) -> Member {
    match random.below(8) {
        0 | 1 => Member::with_role(Some("ADMIN")),
        2 => Member::with_role(Some("FULL")),
        3 => Member::with_role(Some("VIEWER")),
        4 => Member::with_list(&["merchant.team.invite", "portal.pos"]),
        5 => Member::with_list(&["merchant.team.invite", "portal.orders"]),
        6 => Member::with_list(&["portal.pos"]),
        _ => {
            let listed: Vec<_> = PERMISSIONS.into_iter().filter(|_| random.percent(40)).collect();
            Member::with_list(if listed.is_empty() { &["portal.orders"] } else { &listed })
        }
    }
}

fn any<T: Copy>(random: &mut SeededRandom, items: &[T]) -> Option<T> {
    if items.is_empty() { None } else { Some(*random.pick(items)) }
}

struct History<'a> {
    system: &'a System,
    seed: u64,
    random: SeededRandom,
    merchant: String,
    users: usize,
    /// What explains all responses so far. The order of two requests at once may show only later.
    teams: Vec<Team>,
    /// The ids of invitations, and the codes of tills, by their step.
    invites: BTreeMap<Step, String>,
    codes: BTreeMap<Step, String>,
    confirmations: BTreeMap<UserNumber, usize>,
    log: Vec<String>,
}

impl<'a> History<'a> {
    async fn start(system: &'a System, seed: u64) -> Self {
        let mut history = Self {
            system,
            seed,
            random: SeededRandom::new(seed),
            merchant: format!("m-history-{seed}"),
            users: 0,
            teams: vec![Team::default()],
            invites: BTreeMap::new(),
            codes: BTreeMap::new(),
            confirmations: BTreeMap::new(),
            log: Vec::new(),
        };
        let merchant = Merchant { name: "Team".to_owned(), ..Merchant::new(history.merchant(), jiff::Timestamp::UNIX_EPOCH) };
        history.create(merchant_record(&merchant).unwrap()).await;
        let founder = Member::with_role(if history.random.percent(80) { Some("ADMIN") } else { None });
        for kind in [founder, any_powers(&mut history.random)] {
            let number = history.add_user(Some(&kind)).await;
            let stamp = history.teams[0].new_stamp();
            history.teams[0].members.insert(number, (kind, stamp));
        }
        for _ in 0..2 {
            history.add_user(None).await;
        }
        history
    }

    fn merchant(&self) -> MerchantId {
        MerchantId::new(self.merchant.as_str())
    }

    fn user(&self, number: UserNumber) -> UserId {
        UserId::new(format!("u-history-{}-{number}", self.seed))
    }

    fn email(&self, number: UserNumber) -> String {
        format!("u{number}@h{}.example", self.seed)
    }

    async fn create(&self, rows: Vec<shared::db::Item>) {
        let writes = rows.into_iter().map(Write::create_item).collect::<Result<_, _>>().unwrap();
        self.system.store().commit(writes).await.unwrap();
    }

    async fn add_user(&mut self, kind: Option<&Member>) -> UserNumber {
        let number = self.users;
        self.users += 1;
        let user = User {
            email_verified: true,
            merchant_id: kind.map(|_| self.merchant()),
            ..User::new(self.user(number), self.email(number))
        };
        let membership = kind.map(|kind| Membership::new(self.merchant(), user.id.clone(), powers(kind), Stamp::new([0; 16])));
        self.create(user_record(&user, membership.as_ref()).unwrap()).await;
        number
    }

    fn any_user(&mut self) -> UserNumber {
        usize::try_from(self.random.below(i64::try_from(self.users).unwrap())).unwrap()
    }

    fn action(&mut self) -> Action {
        let members: Vec<UserNumber> = self.teams[0].members.keys().copied().collect();
        let anybody = self.any_user();
        let member = *self.random.pick(&members);
        let by = if self.random.percent(85) { member } else { anybody };
        let invites: Vec<Step> = self.invites.keys().copied().collect();
        let codes: Vec<Step> = self.codes.keys().copied().collect();
        let invite = any(&mut self.random, &invites);
        let code = any(&mut self.random, &codes);
        match (self.random.below(100), invite, code) {
            (0..24, Some(invite), _) => {
                let maker = self.teams[0].invites.get(&invite).map(|invite| invite.maker);
                let invited = self.teams[0].invites.get(&invite).map_or(0, |invite| invite.invited);
                let count = self.confirmations.get(&invited).copied().unwrap_or_default();
                let by = maker.filter(|_| self.random.percent(90)).unwrap_or(by);
                if count < MAX_CONFIRMATIONS { Action::Confirm { by, invite } } else { Action::MakeCode { by } }
            }
            (24..46, Some(invite), _) => {
                let invited = self.teams[0].invites.get(&invite).map(|invite| invite.invited);
                let by = invited.filter(|_| self.random.percent(90)).unwrap_or(by);
                Action::Accept { by, invite }
            }
            (46..49, Some(invite), _) => Action::Withdraw { by, invite },
            (49..66, ..) => {
                let target = *self.random.pick(&members);
                Action::Change { by, target, powers: any_powers(&mut self.random) }
            }
            (66..74, ..) => Action::Remove { by, target: *self.random.pick(&members) },
            (74..80, ..) => Action::MakeCode { by },
            (80..88, _, Some(code)) => Action::Pair { code },
            _ if self.invites.len() < MAX_INVITES => {
                let invited = self.any_user();
                Action::Invite { by, invited, powers: any_powers(&mut self.random) }
            }
            _ => Action::MakeCode { by },
        }
    }

    /// Whether it was allowed; and the id or the code of what was made.
    async fn send(&self, action: &Action) -> (bool, Option<String>) {
        let caller = async |by: UserNumber| -> Caller { self.system.sign_in(self.user(by).as_str()).await };
        let path = |invite: &Step, step: &str| format!("/api/auth/invites/{}/{step}", self.invites[invite]);
        let response = match action {
            Action::Invite { by, invited, powers } => {
                caller(*by).await.post("/api/auth/invites", &powers.as_invite(&self.email(*invited))).await
            }
            Action::Confirm { by, invite } => {
                let code = code_of(self.system, &self.invites[invite]).await;
                caller(*by).await.post(&path(invite, "verification"), &json!({"code": code})).await
            }
            Action::Accept { by, invite } => caller(*by).await.post_empty(&path(invite, "acceptance")).await,
            Action::Withdraw { by, invite } => {
                let path = format!("/api/auth/invites/{}", self.invites[invite]);
                caller(*by).await.delete(&path).await
            }
            Action::Change { by, target, powers } => {
                let mut body = powers.as_request();
                body["targetUserId"] = json!(self.user(*target));
                caller(*by).await.patch("/api/bff/merchant/users", &body).await
            }
            Action::Remove { by, target } => {
                let path = format!("/api/auth/members/{}", self.user(*target));
                caller(*by).await.delete(&path).await
            }
            Action::MakeCode { by } => {
                let body = json!({"name": "Counter", "retailStoreId": "1"});
                caller(*by).await.post("/api/auth/tills", &body).await
            }
            Action::Pair { code } => {
                // Attempts are limited by the address of the client.
                let [.., a, b] = self.seed.to_be_bytes();
                let client = client_at(IpAddr::V4(Ipv4Addr::new(127, 1, a, b.max(1))));
                let url = format!("{}/api/auth/tills/pairing", self.system.local.listening.api);
                let body = json!({"code": self.codes[code]});
                let request = client.post(url).header("content-type", "application/json");
                Caller::send_request(request.body(body.to_string())).await
            }
        };
        assert!(response.status < 500 && response.status != 429, "{}: {action:?}: {response:?}", self.seed);
        let made = ["/data/challengeId", "/data/pairingCode"].iter().find_map(|at| response.at(at).as_str());
        (response.status < 300, made.map(str::to_owned))
    }

    fn remember(&mut self, step: Step, action: &Action, allowed: bool, made: Option<String>) {
        match action {
            Action::Invite { .. } if allowed => drop(self.invites.insert(step, made.unwrap())),
            Action::MakeCode { .. } if allowed => drop(self.codes.insert(step, made.unwrap())),
            Action::Confirm { invite, .. } if allowed => {
                let invited = self.teams[0].invites.get(invite).map_or(0, |invite| invite.invited);
                *self.confirmations.entry(invited).or_default() += 1;
            }
            _ => {}
        }
    }

    /// What each member holds, as it is stored, and how many tills are paired.
    async fn stored(&self) -> (BTreeMap<String, shared::team::model::team::Powers>, usize) {
        let team = self.system.store().team(&self.merchant()).await.unwrap();
        let members = team.members.iter().map(|member| (member.user_id.to_string(), member.powers()));
        (members.collect(), team.tills.iter().filter(|till| till.token.is_some()).count())
    }

    fn expected(&self, team: &Team) -> (BTreeMap<String, shared::team::model::team::Powers>, usize) {
        let members = team.members.iter();
        (members.map(|(number, (member, _))| (self.user(*number).to_string(), powers(member))).collect(), team.paired)
    }

    async fn run(mut self, counts: &mut Counts) {
        let mut step = 0;
        while step < STEPS {
            if self.random.percent(6) {
                self.toggle_platform_administrator().await;
            }
            let (first, second) = (self.action(), self.action());
            if self.random.percent(35) && !is_same_pairing(&first, &second) {
                Box::pin(self.race(step, &first, &second, counts)).await;
                step += 2;
            } else {
                self.one(step, &first, counts).await;
                step += 1;
            }
            let (members, _) = self.stored().await;
            let administrators = members.values().filter(|powers| {
                powers.permissions.is_none() && powers.role.as_ref().is_none_or(|role| role.to_string() == "ADMIN")
            });
            assert!(administrators.count() > 0, "nobody could be the last administrator: {:#?}", self.log);
        }
    }

    async fn toggle_platform_administrator(&mut self) {
        let user = self.any_user();
        let is_admin = !self.teams[0].platform.contains(&user);
        let store = &self.system.store();
        let email = self.email(user);
        if is_admin {
            store.add_platform_admin(&email, &UserId::new("none"), &enrolment()).await.unwrap();
        } else {
            store.remove_platform_admin(&email).await.unwrap();
        }
        self.teams.iter_mut().for_each(|team| team.set_platform(user, is_admin));
        self.log.push(format!("platform administrator {user}: {is_admin}"));
    }

    async fn one(&mut self, step: Step, action: &Action, counts: &mut Counts) {
        let (allowed, made) = self.send(action).await;
        self.log.push(format!("{step} {action:?}: {allowed}"));
        self.remember(step, action, allowed, made);
        counts.add("requests", 1);
        counts.add("allowed", usize::from(allowed));
        let teams = self.teams.iter().cloned().filter_map(|mut team| (team.apply(step, action) == allowed).then_some(team));
        self.explain(teams.collect()).await;
    }

    /// Keeps the teams that are as stored.
    async fn explain(&mut self, mut teams: Vec<Team>) {
        let stored = self.stored().await;
        teams.retain(|team| self.expected(team) == stored);
        assert!(!teams.is_empty(), "no order explains it, seed {}: {:#?}\nstored: {stored:#?}", self.seed, self.log);
        self.teams = teams;
    }

    async fn race(&mut self, step: Step, first: &Action, second: &Action, counts: &mut Counts) {
        let ((one, made_by_one), (other, made_by_other)) = join(Box::pin(self.send(first)), Box::pin(self.send(second))).await;
        self.log.push(format!("{step} {first:?}: {one}, beside {second:?}: {other}"));
        self.remember(step, first, one, made_by_one);
        self.remember(step + 1, second, other, made_by_other);
        counts.add("requests", 2);
        counts.add("races", 1);
        counts.add("allowed", usize::from(one) + usize::from(other));
        let mut teams = Vec::new();
        for team in &self.teams {
            for is_in_order in [true, false] {
                let mut team = team.clone();
                let results = if is_in_order {
                    let one = team.apply(step, first);
                    (one, team.apply(step + 1, second))
                } else {
                    let other = team.apply(step + 1, second);
                    (team.apply(step, first), other)
                };
                if results == (one, other) && !teams.contains(&team) {
                    teams.push(team);
                }
            }
        }
        self.explain(teams).await;
    }
}

/// Whoever loses a race for a code is refused, as by the second of two requests, but not after the model's first one.
fn is_same_pairing(first: &Action, second: &Action) -> bool {
    matches!((first, second), (Action::Pair { code: one }, Action::Pair { code: other }) if one == other)
}

#[tokio::test]
async fn nobody_holds_what_nobody_who_could_gave_them() {
    let system = System::start().await;
    let mut counts = Counts::default();
    for history in Histories::new("--test api powers::histories::", 10).all() {
        Box::pin(History::start(&system, history.seed).await.run(&mut counts)).await;
    }
    println!("{counts:?}");
}
