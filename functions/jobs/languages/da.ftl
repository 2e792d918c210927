# en.ftl says where these messages stand.

## In all mails

greeting = Hej { $name }
greeting-nobody = Hej
open-portal = Åbn portalen
somebody = Et medlem af teamet
your-account = Din virksomhedskonto
unknown-program = ukendt program

## A code to sign in

code-subject = Din loginkode
code-text = Indtast denne kode for at logge ind på { $host }:
code-details = Der blev bedt om den kl. { $from } UTC ({ $browser }), og den kan bruges én gang, indtil kl. { $until } UTC.
code-secret = Hold koden for dig selv: læs den ikke op for nogen, og indtast den ikke andre steder. Vi spørger aldrig efter den.
code-unexpected = Hvis du ikke har bedt om den, kan du se bort fra denne e-mail: ingen kan logge ind uden koden.
codes-off-subject = Dine loginkoder er slået fra
codes-off-text = Der blev bedt om en loginkode kl. { $time } UTC ({ $browser }). Du har slået koder fra: log ind med en adgangsnøgle.
codes-off-unexpected = Hvis du ikke har bedt om den, kan du se bort fra denne e-mail. Hvis du har mistet alle dine adgangsnøgler, så svar på den.

## An invitation, which its maker confirms

confirm-subject = Bekræft din invitation
confirm-text = Du er ved at invitere { $person } ({ $email }) til dit team på { $host } med denne adgang:
confirm-enter = Indtast denne kode for at bekræfte invitationen:
confirm-unexpected = Hvis du ikke har inviteret denne person, bruger en anden måske din session: indtast ikke koden nogen steder, men åbn din konto i kontrolpanelet, og afslut alle dine sessioner.
invite-subject = Du er inviteret til { $shop }
invite-text = { $person } har inviteret dig til at arbejde med { $shop } i virksomhedsportalen med denne adgang:
invite-sign-in = Log ind med denne adresse ({ $email }) for at acceptere:
invite-open = Åbn invitationen
invite-until = Invitationen kan accepteres indtil den { $day }.
invite-unexpected = Hvis du ikke kender denne person, kan du se bort fra denne e-mail.

## What a member may do: a list

role-admin = Administrator: alt, også teamet
role-full = Fuld adgang: alt undtagen teamet
role-viewer = Læseadgang: kan kun læse
role-other = Medlem
may-nothing = Intet endnu
may-information = Se og ændre virksomhedens oplysninger
may-organization = Administrere butikker
may-team = Invitere til teamet, administrere teamet og kasserne
may-gift-cards = Administrere tilbud og slå kort op
may-analytics = Se statistik
may-reports = Se afregninger
may-orders = Se ordrer
may-pos = Sælge og indløse ved en kasse

## How one signs in

device-subject = Du loggede ind med en ny browser
device-text = Din konto blev brugt til at logge ind med en ny browser den { $day } kl. { $time } UTC: { $browser }.
device-unexpected = Hvis det ikke var dig, kan nogen læse dine e-mails. Log ud overalt i portalen, beskyt din e-mailkonto, og svar på denne e-mail, så vi kan undersøge sagen.
passkey-added-subject = En adgangsnøgle er tilføjet
passkey-added = Adgangsnøglen { $name } blev føjet til din konto den { $day } kl. { $time } UTC. Den kan nu bruges til at logge ind.
passkey-removed-subject = En adgangsnøgle er fjernet
passkey-removed = Adgangsnøglen { $name } blev fjernet fra din konto den { $day } kl. { $time } UTC, og du blev logget ud overalt.
passkey-removed-codes-on = Du kan logge ind med koder på e-mail igen, fordi du ellers kunne blive lukket ude, hvis du mistede en enkelt enhed.
passkey-refused-subject = En adgangsnøgle blev afvist
passkey-refused = Et login med adgangsnøglen { $name } blev afvist den { $day } kl. { $time } UTC, fordi der muligvis findes en kopi af den.
passkey-refused-advice = Fjern adgangsnøglen i portalen, medmindre du kender til kopien.
codes-turned-off-subject = Loginkoder er slået fra
codes-turned-off = Koder på e-mail blev slået fra for din konto den { $day } kl. { $time } UTC: kun dine adgangsnøgler kan bruges til at logge ind.
codes-turned-on-subject = Loginkoder er slået til
codes-turned-on = Koder på e-mail blev slået til igen for din konto den { $day } kl. { $time } UTC.
codes-turned-on-by-platform = Platformen slog koder på e-mail til igen for din konto den { $day } kl. { $time } UTC, fordi nogen har oplyst os om, at du har mistet dine adgangsnøgler.
sign-in-unexpected = Hvis det ikke var dig, kan en anden bruge din konto. Log ud overalt i portalen, beskyt din e-mailkonto, og svar på denne e-mail, så vi kan undersøge sagen.

## The merchant's account

account-subject = Din virksomheds oplysninger er ændret
account-text = Oplysningerne om { $shop } blev ændret den { $day } kl. { $time } UTC fra din konto eller med en API-nøgle, som du har oprettet.
account-text-nameless = Oplysningerne i din virksomhedskonto blev ændret den { $day } kl. { $time } UTC fra din konto eller med en API-nøgle, som du har oprettet.
account-what = Ændringen kan gælde virksomhedens navne eller numre, dens websted, dens logo eller dens tidszone. Se de aktuelle oplysninger:
account-unexpected = Hvis det ikke var dig, så sig det til en administrator i dit team, og svar på denne e-mail, så vi kan undersøge sagen.
verify-subject = Verificer din virksomhed for at fortsætte
verify-text = Tak, vi har modtaget ansøgningen fra { $shop }.
verify-text-nameless = Tak, vi har modtaget ansøgningen fra din virksomhed.
verify-next = Næste trin er at verificere virksomheden og de personer, der driver den. Det gør vores verificeringspartner på sin egen side:
verify-open = Verificer virksomheden
verify-time = Det tager nogle få minutter. Hav et id-dokument og virksomhedens registreringsbevis klar. Så snart vi kender resultatet, vises det i portalen.
verify-unexpected = Hvis du ikke har ansøgt, så følg ikke linket, men svar på denne e-mail, så vi kan undersøge sagen.
status-subject = Status for din virksomhedskonto er ændret
status-active = { $shop } er aktiv.
status-active-means = Dine kasser kan sælge og indløse gavekort.
status-suspended = { $shop } er spærret.
status-suspended-means = Indtil videre kan gavekort hverken sælges eller indløses.
status-closed = { $shop } er lukket.
status-closed-means = Gavekort kan ikke længere sælges eller indløses.
status-declined = { $shop } har fået afslag.
status-declined-means = Vi kan ikke godkende din virksomheds ansøgning.
status-waiting = { $shop } afventer flere oplysninger.
status-waiting-means = Vi kan ikke træffe afgørelse om din ansøgning endnu. Udfyld det manglende i portalen, og indsend den igen.
status-draft = { $shop } er en kladde.
status-draft-means = Udfyld ansøgningen i portalen, og indsend den.
status-review = { $shop } er under behandling.
status-review-means = Vi giver dig besked, så snart vi har truffet afgørelse om din ansøgning.
status-questions = Hvis du har spørgsmål, så svar på denne e-mail.
image-subject = Et billede på dine gavekort er fjernet
image-text = Vi har fjernet et billede, som { $shop } havde offentliggjort: { $image }
image-means = Det er slettet og kan ikke længere ses. Gavekort, der viser det, skal have et andet billede.
image-unexpected = Hvis du mener, at det er en fejl, så svar på denne e-mail.

## News of the team, to its administrators

joined-subject = Nogen er kommet med i teamet hos { $shop }
joined = { $person } ({ $email }) kom med i teamet hos { $shop } den { $day } kl. { $time } UTC.
joined-unexpected = Hvis ingen af jer har inviteret denne person, så fjern vedkommende i kontrolpanelet.
left-subject = Nogen har forladt teamet hos { $shop }
left = { $person } ({ $email }) forlod teamet hos { $shop } den { $day } kl. { $time } UTC.
removed-subject = Nogen er fjernet fra teamet hos { $shop }
removed = { $person } ({ $email }) blev fjernet fra teamet hos { $shop } den { $day } kl. { $time } UTC.
administrator-subject = { $shop } har fået en ny administrator
administrator = { $person } ({ $email }) blev administrator for { $shop } den { $day } kl. { $time } UTC.
team-open = Se teamet
team-unexpected = Hvis det ikke er, som det skal være, så tjek teamet og dets aktivitet i kontrolpanelet.
till-subject = En kasse er tilknyttet { $shop }
till-text = Kassen { $till } i butikken { $store } blev tilknyttet den { $day } kl. { $time } UTC. Den kan sælge og indløse gavekort hos { $shop }.
till-open = Se alle kasser
till-unexpected = Hvis du ikke kan genkende kassen, så tilbagekald den i kontrolpanelet: så holder den straks op med at virke.

## News of keys, which let a program call the API

key-created-subject = En API-nøgle er oprettet for { $shop }
key-created = { $person } oprettede API-nøglen { $key } for { $shop } den { $day } kl. { $time } UTC.
key-rotated-subject = En API-nøgle er fornyet hos { $shop }
key-rotated = { $person } udskiftede hemmeligheden for API-nøglen { $key } hos { $shop } den { $day } kl. { $time } UTC.
key-reads = Med den kan et program læse det, som disse tilladelser omfatter: { $permissions }. Nøglen udløber den { $day } kl. { $time } UTC.
key-writes = Med den kan et program læse og ændre det, som disse tilladelser omfatter: { $permissions }. Nøglen udløber den { $day } kl. { $time } UTC.
key-unexpected = Hvis du ikke kan genkende nøglen, så tilbagekald den i kontrolpanelet: så holder den straks op med at virke.
key-ending-subject = En API-nøgle hos { $shop } holder snart op med at virke
key-ending = API-nøglen { $key } hos { $shop } holder op med at virke den { $day } kl. { $time } UTC: { $person }, der oprettede den, har forladt teamet eller kan ikke længere tildele dens tilladelser.
key-expiring-subject = En API-nøgle udløber snart hos { $shop }
key-expiring = API-nøglen { $key } hos { $shop } udløber den { $day } kl. { $time } UTC.
key-rotate = Hvis der stadig er brug for nøglen, kan en person, der selv har dens tilladelser, forny den i kontrolpanelet inden da og give programmet den nye hemmelighed. Ellers skal der ikke gøres noget.
key-revoked-subject = En API-nøgle er tilbagekaldt hos { $shop }
key-revoked = Platformen tilbagekaldte API-nøglen { $key } hos { $shop } den { $day } kl. { $time } UTC: andre kender den måske. Programmer, der stadig bruger den, bliver afvist.
key-replace = Opret en ny API-nøgle i kontrolpanelet, og find ud af, hvor den gamle blev offentliggjort.
key-open = Se alle API-nøgler

## News of webhooks

webhook-set-subject = Et webhook-slutpunkt er angivet for { $shop }
webhook-set = { $person } satte { $host } op den { $day } kl. { $time } UTC til at modtage disse meddelelser fra { $shop } og ingen andre: { $events }.
webhook-set-unexpected = Hvis du ikke kan genkende adressen, eller hvis der mangler en meddelelse, så bed din udvikler ændre eller slette slutpunktet.
webhook-deleted-subject = Et webhook-slutpunkt er slettet for { $shop }
webhook-deleted = { $person } slettede slutpunktet { $host } den { $day } kl. { $time } UTC. Der sendes ikke mere til det.
webhook-disabled-subject = Meddelelser fra { $shop } leveres ikke længere
webhook-gone = Siden den { $day } kl. { $time } UTC er intet blevet sendt fra { $shop } til { $host }: slutpunktet har svaret, at det ikke vil have flere meddelelser.
webhook-failing = Siden den { $day } kl. { $time } UTC er intet blevet sendt fra { $shop } til { $host }: slutpunktet har ikke modtaget nogen meddelelse i fem dage.
webhook-enable = Nye meddelelser gemmes i tre dage. Bed din udvikler aktivere slutpunktet, når det virker igen.
webhook-open = Se alle slutpunkter
