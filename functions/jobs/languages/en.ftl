# What mails say. docs/front-end.md says how to add a message or a language.
# Amounts, dates and names come as they are shown. Times are in UTC. A browser is shown as `Firefox, Windows`.

## In all mails

greeting = Hello { $name },
greeting-nobody = Hello,
open-portal = Open the portal
somebody = A member of the team
your-account = Your merchant account
unknown-program = unknown program

## A code to sign in

code-subject = Your sign-in code
code-text = Enter this code to sign in to { $host }:
code-details = It was requested at { $from } UTC ({ $browser }), and can be used once, until { $until } UTC.
code-secret = Keep this code to yourself: do not read it out, and do not enter it anywhere else. We never ask for it.
code-unexpected = If you did not request it, you can ignore this e-mail: nobody can sign in without the code.
codes-off-subject = Your sign-in codes are off
codes-off-text = A sign-in code was requested at { $time } UTC ({ $browser }). You have turned codes off: sign in with a passkey.
codes-off-unexpected = If you did not request it, you can ignore this e-mail. If you have lost all of your passkeys, reply to it.

## An invitation, which its maker confirms

confirm-subject = Confirm your invitation
confirm-text = You are inviting { $person } ({ $email }) to your team at { $host }, with this access:
confirm-enter = Enter this code to confirm the invitation:
confirm-unexpected = If you did not invite this person, somebody else may be using your session: do not enter the code anywhere, open your account in the dashboard, and end all of your sessions.
invite-subject = You have been invited to { $shop }
invite-text = { $person } has invited you to work on { $shop } in the merchant portal, with this access:
invite-sign-in = Sign in with this address ({ $email }) to accept:
invite-open = Open the invitation
invite-until = The invitation can be accepted until { $day }.
invite-unexpected = If you do not know this person, you can ignore this e-mail.

## What a member may do: a list

role-admin = Admin: everything, including the team
role-full = Full access: everything except the team
role-viewer = Viewer: read-only
role-other = Member
may-nothing = Nothing yet
may-information = See and change the business details
may-organization = Manage stores
may-team = Invite and manage the team and the tills
may-gift-cards = Manage offers and look up cards
may-analytics = See analytics
may-reports = See settlements
may-orders = See orders
may-pos = Sell and redeem at a till

## How one signs in

device-subject = You signed in with a new browser
device-text = Your account was used to sign in with a new browser on { $day } at { $time } UTC: { $browser }.
device-unexpected = If this was not you, somebody can read your e-mail. Sign out everywhere in the portal, secure your mailbox, and reply to this e-mail so that we can look into it.
passkey-added-subject = A passkey was added
passkey-added = The passkey { $name } was added to your account on { $day } at { $time } UTC. It can now be used to sign in.
passkey-removed-subject = A passkey was removed
passkey-removed = The passkey { $name } was removed from your account on { $day } at { $time } UTC, and you were signed out everywhere.
passkey-removed-codes-on = You can sign in with e-mailed codes again, because the loss of one device could otherwise lock you out.
passkey-refused-subject = A passkey was refused
passkey-refused = A sign-in with the passkey { $name } was refused on { $day } at { $time } UTC, because there may be a copy of it.
passkey-refused-advice = Remove the passkey in the portal, unless you know of the copy.
codes-turned-off-subject = Sign-in codes are off
codes-turned-off = E-mailed codes were turned off for your account on { $day } at { $time } UTC: only your passkeys sign you in.
codes-turned-on-subject = Sign-in codes are on
codes-turned-on = E-mailed codes were turned on again for your account on { $day } at { $time } UTC.
codes-turned-on-by-platform = The platform turned e-mailed codes on again for your account on { $day } at { $time } UTC, because somebody has told us that you have lost your passkeys.
sign-in-unexpected = If this was not you, somebody else can use your account. Sign out everywhere in the portal, secure your mailbox, and reply to this e-mail so that we can look into it.

## The merchant's account

account-subject = Your merchant details were changed
account-text = The details of { $shop } were changed on { $day } at { $time } UTC, from your account or with a key that you created.
account-text-nameless = The details of your merchant account were changed on { $day } at { $time } UTC, from your account or with a key that you created.
account-what = The change can be to the company’s names or numbers, its website, its logo or its time zone. See the current details:
account-unexpected = If this was not you, tell an administrator of your team, and reply to this e-mail so that we can look into it.
verify-subject = Verify your company to continue
verify-text = Thank you, we have received the application of { $shop }.
verify-text-nameless = Thank you, we have received the application of your company.
verify-next = The next step is to verify the company and the people who run it. Our verification partner does this on its own page:
verify-open = Verify the company
verify-time = It takes a few minutes. Have an identity document and the company’s registration at hand. As soon as we know the result, it appears in the portal.
verify-unexpected = If you did not apply, do not follow the link, and reply to this e-mail so that we can look into it.
status-subject = The status of your merchant account has changed
status-active = { $shop } is active.
status-active-means = Your tills can sell and redeem gift cards.
status-suspended = { $shop } is suspended.
status-suspended-means = Until further notice, gift cards can neither be sold nor redeemed.
status-closed = { $shop } is closed.
status-closed-means = Gift cards can no longer be sold or redeemed.
status-declined = { $shop } was declined.
status-declined-means = We cannot accept your company’s application.
status-waiting = { $shop } is waiting for more information.
status-waiting-means = We cannot decide on your application yet. Complete it in the portal and submit it again.
status-draft = { $shop } is a draft.
status-draft-means = Complete the application in the portal and submit it.
status-review = { $shop } is being reviewed.
status-review-means = We will notify you as soon as we have decided on your application.
status-questions = If you have questions, reply to this e-mail.
image-subject = An image of your gift cards was taken down
image-text = We have taken down an image that { $shop } had published: { $image }
image-means = It has been deleted and can no longer be seen. Gift cards that show it need another image.
image-unexpected = If you think that this is a mistake, reply to this e-mail.

## News of the team, to its administrators

joined-subject = Somebody joined the team of { $shop }
joined = { $person } ({ $email }) joined the team of { $shop } on { $day } at { $time } UTC.
joined-unexpected = If none of you invited this person, remove them in the dashboard.
left-subject = Somebody left the team of { $shop }
left = { $person } ({ $email }) left the team of { $shop } on { $day } at { $time } UTC.
removed-subject = Somebody was removed from the team of { $shop }
removed = { $person } ({ $email }) was removed from the team of { $shop } on { $day } at { $time } UTC.
administrator-subject = There is a new administrator of { $shop }
administrator = { $person } ({ $email }) became an administrator of { $shop } on { $day } at { $time } UTC.
team-open = See the team
team-unexpected = If this is not as it should be, check the team and its activity in the dashboard.
till-subject = A till was paired with { $shop }
till-text = The till { $till } of store { $store } was paired on { $day } at { $time } UTC. It can sell and redeem gift cards of { $shop }.
till-open = See all tills
till-unexpected = If you do not recognize this till, revoke it in the dashboard: it stops working immediately.

## News of keys, which let a program call the API

key-created-subject = A key was created for { $shop }
key-created = { $person } created the key { $key } of { $shop } on { $day } at { $time } UTC.
key-rotated-subject = A key was rotated at { $shop }
key-rotated = { $person } replaced the secret of the key { $key } of { $shop } on { $day } at { $time } UTC.
key-reads = With it, a program can read what these permissions cover: { $permissions }. It expires on { $day } at { $time } UTC.
key-writes = With it, a program can read and change what these permissions cover: { $permissions }. It expires on { $day } at { $time } UTC.
key-unexpected = If you do not recognize this key, revoke it in the dashboard: it stops working immediately.
key-ending-subject = A key ends soon at { $shop }
key-ending = The key { $key } of { $shop } ends on { $day } at { $time } UTC: { $person }, who created it, has left the team or can no longer grant its permissions.
key-expiring-subject = A key expires soon at { $shop }
key-expiring = The key { $key } of { $shop } expires on { $day } at { $time } UTC.
key-rotate = If it is still needed, somebody who has these permissions can rotate it in the dashboard before then, and give the new secret to the program. Otherwise, no action is needed.
key-revoked-subject = A key was revoked at { $shop }
key-revoked = The platform revoked the key { $key } of { $shop } on { $day } at { $time } UTC: others may know it. Programs that still use it are rejected.
key-replace = Create another key in the dashboard, and find out where the old one was published.
key-open = See all keys

## News of webhooks

webhook-set-subject = A webhook endpoint was set for { $shop }
webhook-set = { $person } set up { $host } on { $day } at { $time } UTC to receive these messages of { $shop }, and no others: { $events }.
webhook-set-unexpected = If you do not recognize this address, or if a message is missing, ask your developer to change or delete the endpoint.
webhook-deleted-subject = A webhook endpoint was deleted for { $shop }
webhook-deleted = { $person } deleted the endpoint { $host } on { $day } at { $time } UTC. Nothing more is sent to it.
webhook-disabled-subject = Messages of { $shop } are no longer delivered
webhook-gone = Since { $day } at { $time } UTC, nothing has been sent from { $shop } to { $host }: it has responded that it wants no more messages.
webhook-failing = Since { $day } at { $time } UTC, nothing has been sent from { $shop } to { $host }: it has accepted no message for five days.
webhook-enable = New messages are kept for three days. Ask your developer to enable the endpoint once it works again.
webhook-open = See all endpoints
