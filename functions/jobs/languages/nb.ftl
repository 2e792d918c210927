# en.ftl says where these messages stand.

## In all mails

greeting = Hei, { $name }!
greeting-nobody = Hei!
open-portal = Åpne portalen
somebody = Et medlem av teamet
your-account = Bedriftskontoen din
unknown-program = ukjent program

## A code to sign in

code-subject = Innloggingskoden din
code-text = Skriv inn denne koden for å logge inn på { $host }:
code-details = Det ble bedt om den kl. { $from } UTC ({ $browser }), og den kan brukes én gang, frem til kl. { $until } UTC.
code-secret = Hold koden for deg selv: ikke les den opp for noen, og ikke skriv den inn noe annet sted. Vi spør aldri etter den.
code-unexpected = Hvis du ikke har bedt om den, kan du se bort fra denne e-posten: ingen kan logge inn uten koden.
codes-off-subject = Innloggingskodene dine er slått av
codes-off-text = Det ble bedt om en innloggingskode kl. { $time } UTC ({ $browser }). Du har slått av koder: logg inn med en passnøkkel.
codes-off-unexpected = Hvis du ikke har bedt om den, kan du se bort fra denne e-posten. Hvis du har mistet alle passnøklene dine, kan du svare på den.

## An invitation, which its maker confirms

confirm-subject = Bekreft invitasjonen din
confirm-text = Du er i ferd med å invitere { $person } ({ $email }) til teamet ditt på { $host }, med denne tilgangen:
confirm-enter = Skriv inn denne koden for å bekrefte invitasjonen:
confirm-unexpected = Hvis du ikke har invitert denne personen, kan det hende at noen andre bruker økten din: ikke skriv inn koden noe sted, men åpne kontoen din i kontrollpanelet, og avslutt alle øktene dine.
invite-subject = Du er invitert til { $shop }
invite-text = { $person } har invitert deg til å arbeide med { $shop } i bedriftsportalen, med denne tilgangen:
invite-sign-in = Logg inn med denne adressen ({ $email }) for å godta:
invite-open = Åpne invitasjonen
invite-until = Invitasjonen kan godtas frem til { $day }.
invite-unexpected = Hvis du ikke kjenner denne personen, kan du se bort fra denne e-posten.

## What a member may do: a list

role-admin = Administrator: alt, også teamet
role-full = Full tilgang: alt unntatt teamet
role-viewer = Lesetilgang: kan bare lese
role-other = Medlem
may-nothing = Ingenting ennå
may-information = Se og endre opplysninger om virksomheten
may-organization = Administrere butikker
may-team = Invitere til teamet, administrere teamet og kassene
may-gift-cards = Administrere tilbud og slå opp kort
may-analytics = Se statistikk
may-reports = Se oppgjør
may-orders = Se ordrer
may-pos = Selge og løse inn i en kasse

## How one signs in

device-subject = Du logget inn med en ny nettleser
device-text = Kontoen din ble brukt til å logge inn med en ny nettleser den { $day } kl. { $time } UTC: { $browser }.
device-unexpected = Hvis dette ikke var deg, kan noen lese e-posten din. Logg ut overalt i portalen, sikre e-postkontoen din, og svar på denne e-posten, slik at vi kan undersøke saken.
passkey-added-subject = En passnøkkel er lagt til
passkey-added = Passnøkkelen { $name } ble lagt til i kontoen din den { $day } kl. { $time } UTC. Den kan nå brukes til å logge inn.
passkey-removed-subject = En passnøkkel er fjernet
passkey-removed = Passnøkkelen { $name } ble fjernet fra kontoen din den { $day } kl. { $time } UTC, og du ble logget ut overalt.
passkey-removed-codes-on = Du kan logge inn med koder på e-post igjen, fordi tapet av én enhet ellers kunne ha stengt deg ute.
passkey-refused-subject = En passnøkkel ble avvist
passkey-refused = En innlogging med passnøkkelen { $name } ble avvist den { $day } kl. { $time } UTC, fordi det kan finnes en kopi av den.
passkey-refused-advice = Fjern passnøkkelen i portalen, med mindre du vet om kopien.
codes-turned-off-subject = Innloggingskoder er slått av
codes-turned-off = Koder på e-post ble slått av for kontoen din den { $day } kl. { $time } UTC: bare passnøklene dine kan brukes til å logge inn.
codes-turned-on-subject = Innloggingskoder er slått på
codes-turned-on = Koder på e-post ble slått på igjen for kontoen din den { $day } kl. { $time } UTC.
codes-turned-on-by-platform = Plattformen slo på koder på e-post igjen for kontoen din den { $day } kl. { $time } UTC, fordi noen har gitt oss beskjed om at du har mistet passnøklene dine.
sign-in-unexpected = Hvis dette ikke var deg, kan noen andre bruke kontoen din. Logg ut overalt i portalen, sikre e-postkontoen din, og svar på denne e-posten, slik at vi kan undersøke saken.

## The merchant's account

account-subject = Opplysningene om virksomheten din er endret
account-text = Opplysningene om { $shop } ble endret den { $day } kl. { $time } UTC, fra kontoen din eller med en API-nøkkel som du har opprettet.
account-text-nameless = Opplysningene i bedriftskontoen din ble endret den { $day } kl. { $time } UTC, fra kontoen din eller med en API-nøkkel som du har opprettet.
account-what = Endringen kan gjelde virksomhetens navn eller numre, nettstedet, logoen eller tidssonen. Se de gjeldende opplysningene:
account-unexpected = Hvis dette ikke var deg, si fra til en administrator i teamet ditt, og svar på denne e-posten, slik at vi kan undersøke saken.
verify-subject = Verifiser virksomheten din for å fortsette
verify-text = Takk, vi har mottatt søknaden fra { $shop }.
verify-text-nameless = Takk, vi har mottatt søknaden fra virksomheten din.
verify-next = Neste steg er å verifisere virksomheten og personene som driver den. Det gjør verifiseringspartneren vår på sin egen side:
verify-open = Verifiser virksomheten
verify-time = Det tar noen minutter. Ha et ID-dokument og firmaattesten til virksomheten for hånden. Så snart vi vet resultatet, vises det i portalen.
verify-unexpected = Hvis du ikke har sendt noen søknad, må du ikke følge lenken. Svar på denne e-posten, slik at vi kan undersøke saken.
status-subject = Statusen for bedriftskontoen din er endret
status-active = { $shop } er aktiv.
status-active-means = Kassene dine kan selge og løse inn gavekort.
status-suspended = { $shop } er sperret.
status-suspended-means = Inntil videre kan gavekort verken selges eller løses inn.
status-closed = { $shop } er avsluttet.
status-closed-means = Gavekort kan ikke lenger selges eller løses inn.
status-declined = { $shop } har fått avslag.
status-declined-means = Vi kan ikke godkjenne søknaden fra virksomheten din.
status-waiting = { $shop } venter på mer informasjon.
status-waiting-means = Vi kan ikke ta en beslutning om søknaden din ennå. Fyll ut det som mangler, i portalen, og send den inn på nytt.
status-draft = { $shop } er et utkast.
status-draft-means = Fullfør søknaden i portalen, og send den inn.
status-review = { $shop } er til vurdering.
status-review-means = Vi gir deg beskjed så snart vi har tatt en beslutning om søknaden din.
status-questions = Hvis du har spørsmål, kan du svare på denne e-posten.
image-subject = Et bilde på gavekortene dine er fjernet
image-text = Vi har fjernet et bilde som { $shop } hadde publisert: { $image }
image-means = Det er slettet og kan ikke lenger ses. Gavekort som viser det, trenger et annet bilde.
image-unexpected = Hvis du mener at dette er en feil, kan du svare på denne e-posten.

## News of the team, to its administrators

joined-subject = Noen har blitt med i teamet til { $shop }
joined = { $person } ({ $email }) ble med i teamet til { $shop } den { $day } kl. { $time } UTC.
joined-unexpected = Hvis ingen av dere har invitert denne personen, fjern vedkommende i kontrollpanelet.
left-subject = Noen har forlatt teamet til { $shop }
left = { $person } ({ $email }) forlot teamet til { $shop } den { $day } kl. { $time } UTC.
removed-subject = Noen er fjernet fra teamet til { $shop }
removed = { $person } ({ $email }) ble fjernet fra teamet til { $shop } den { $day } kl. { $time } UTC.
administrator-subject = { $shop } har fått en ny administrator
administrator = { $person } ({ $email }) ble administrator for { $shop } den { $day } kl. { $time } UTC.
team-open = Se teamet
team-unexpected = Hvis dette ikke er som det skal være, kontroller teamet og teamets aktivitet i kontrollpanelet.
till-subject = En kasse er koblet til { $shop }
till-text = Den { $day } kl. { $time } UTC ble kassen { $till } i butikken { $store } koblet til. Kassen kan selge og løse inn gavekort hos { $shop }.
till-open = Se alle kasser
till-unexpected = Hvis du ikke kjenner igjen denne kassen, trekk den tilbake i kontrollpanelet: da slutter den å virke umiddelbart.

## News of keys, which let a program call the API

key-created-subject = En API-nøkkel er opprettet for { $shop }
key-created = { $person } opprettet API-nøkkelen { $key } for { $shop } den { $day } kl. { $time } UTC.
key-rotated-subject = En API-nøkkel er fornyet hos { $shop }
key-rotated = { $person } byttet ut hemmeligheten til API-nøkkelen { $key } hos { $shop } den { $day } kl. { $time } UTC.
key-reads = Med den kan et program lese det som disse tillatelsene omfatter: { $permissions }. Nøkkelen utløper den { $day } kl. { $time } UTC.
key-writes = Med den kan et program lese og endre det som disse tillatelsene omfatter: { $permissions }. Nøkkelen utløper den { $day } kl. { $time } UTC.
key-unexpected = Hvis du ikke kjenner igjen denne nøkkelen, trekk den tilbake i kontrollpanelet: da slutter den å virke umiddelbart.
key-ending-subject = En API-nøkkel hos { $shop } slutter snart å virke
key-ending = API-nøkkelen { $key } hos { $shop } slutter å virke den { $day } kl. { $time } UTC: { $person }, som opprettet den, har forlatt teamet eller kan ikke lenger gi tillatelsene nøkkelen har.
key-expiring-subject = En API-nøkkel utløper snart hos { $shop }
key-expiring = API-nøkkelen { $key } hos { $shop } utløper den { $day } kl. { $time } UTC.
key-rotate = Hvis nøkkelen fortsatt trengs, kan noen som har de samme tillatelsene, fornye den i kontrollpanelet før den tid og gi programmet den nye hemmeligheten. Ellers trenger ingen å gjøre noe.
key-revoked-subject = En API-nøkkel er trukket tilbake hos { $shop }
key-revoked = Plattformen trakk tilbake API-nøkkelen { $key } hos { $shop } den { $day } kl. { $time } UTC: det kan hende at andre kjenner den. Programmer som fortsatt bruker den, blir avvist.
key-replace = Opprett en ny API-nøkkel i kontrollpanelet, og finn ut hvor den gamle ble publisert.
key-open = Se alle API-nøkler

## News of webhooks

webhook-set-subject = Et webhook-endepunkt er angitt for { $shop }
webhook-set = { $person } satte opp { $host } den { $day } kl. { $time } UTC til å motta disse meldingene fra { $shop }, og ingen andre: { $events }.
webhook-set-unexpected = Hvis du ikke kjenner igjen denne adressen, eller hvis en melding mangler, be utvikleren din endre eller slette endepunktet.
webhook-deleted-subject = Et webhook-endepunkt er slettet for { $shop }
webhook-deleted = { $person } slettet endepunktet { $host } den { $day } kl. { $time } UTC. Det sendes ikke mer til det.
webhook-disabled-subject = Meldinger fra { $shop } blir ikke lenger levert
webhook-gone = Siden { $day } kl. { $time } UTC er ingenting sendt fra { $shop } til { $host }: endepunktet har svart at det ikke vil ha flere meldinger.
webhook-failing = Siden { $day } kl. { $time } UTC er ingenting sendt fra { $shop } til { $host }: endepunktet har ikke tatt imot noen melding på fem dager.
webhook-enable = Nye meldinger blir tatt vare på i tre dager. Be utvikleren din aktivere endepunktet når det virker igjen.
webhook-open = Se alle endepunkter
