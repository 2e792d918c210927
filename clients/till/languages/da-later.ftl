# What the till says after its first screen. It is loaded right after the first paint.

## Frame

close = Luk
again = Prøv igen
next-customer = Næste kunde
not-known = Ikke kendt

late-redeem-done = Svaret kom sent, men det gik igennem: { $amount }, { $card }
late-redeem-failed = Intet blev trukket fra kortet: { $amount }, { $card }
late-issue-done = Svaret kom sent, men kortet blev udstedt: { $amount }
late-issue-failed = Intet kort blev udstedt: { $amount }
no-journal = Browseren gemmer intet for kassen, så der kan ikke flyttes penge. Forlad det private vindue, eller tillad lagring for denne side, og genindlæs den.
not-revoked = Portalen kunne ikke nås, så denne enhed har stadig adgang. Den ophører, så snart portalen kan nås herfra. Hvis den skal ophøre nu, så tilbagekald kassen i kontrolpanelet under »Stores and tills«.
moving-redeem = { $amount } trækkes fra kortet
moving-issue = Et gavekort på { $amount } udstedes
moving-slow-redeem = Kortnetværket er langsomt. Beløbet trækkes højst én gang.
moving-slow-issue = Kortnetværket er langsomt. Højst ét kort udstedes.

## Menu

menu-open-calls = Udfaldet af en transaktion er ikke kendt endnu. Frakobling glemmer den: vent, til det er kendt.
menu-unpairing = Frakobling logger kassen ud og glemmer dagens liste. Derefter skal den bruge en ny kode fra kontrolpanelet.
menu-signals = Lyd og vibration, når noget er udført eller afvist
menu-unpair = Frakobl { $till }
menu-language = Sprog
menu-language-browser = { $language } (som browseren)
menu-customer-language = Sprog på udskrevne kort og kvitteringer
menu-customer-language-till = { $language } (som kassen)

## Pairing

pairing-title = Tilknyt kassen
pairing-title-again = Tilknyt { $till } igen
pairing-lead = Åbn »Stores and tills« i kontrolpanelet, tilføj en kasse, og indtast dens kode her.
pairing-lead-again = Kassen blev logget ud. Det, du har indtastet, er her stadig, når den er tilknyttet igen.
pairing-code = Tilknytningskode
pairing-hint = { $count } tegn. Den gælder én gang, i 10 minutter.
pairing-too-short = Indtast alle kodens { $count } tegn.
pairing-button = Tilknyt kassen
pairing-busy = Tilknytter
pairing-failed-connection = Ingen forbindelse. Prøv igen.
pairing-failed-code = Koden er forkert eller udløbet.
pairing-failed-attempts = For mange forsøg.
pairing-failed = Kassen kunne ikke tilknyttes. Prøv igen.

## Entering an amount

keypad-label = Beløb
keypad-erase = Slet ciffer
enter-amount = Indtast beløbet
note-as-fast-as-scanner = Det kom lige så hurtigt som fra en scanner. Kontrollér det, og tryk så på knappen.
note-press-again = Kontrollér det, og tryk så på Enter igen.
note-no-decimals = { $currency } har ingen decimaler. Skilletegnet blev ignoreret.
note-separator = Skilletegnet blev ignoreret.
note-too-many-decimals = { $currency } har { $decimals } decimaler. Cifferet { $key } blev ignoreret.
note-second-separator = Et skilletegn mere blev ignoreret.

## When to try again

retry-now = Prøv igen nu.
retry-seconds = Prøv igen om { $seconds } s.
retry-minutes = Prøv igen om { $minutes } min.

## Cards

card-gift-card = Gavekort
card-valid-to = Gyldigt til { $date }
card-expired-on = Udløbet { $date }
card-balance = Saldo
card-on-it-now = På kortet nu

## Why something failed

refused-card-not-found = Kortet findes ikke. Scan det igen.
refused-card-blocked = Kortet er spærret.
refused-card-expired = Kortet er udløbet.
refused-insufficient-funds = Der er mindre end det på kortet.
refused-invalid-amount = Kortnetværket godtager ikke beløbet.
refused-offer-not-found = Dette kort sælges ikke længere.
refused-offer-not-available = Dette kort sælges ikke lige nu.
refused-rate-limited = Kortnetværket er optaget.
refused-merchant-not-active = Virksomheden er ikke aktiv, så gavekort kan hverken sælges eller indløses.
refused-forbidden = Denne kasse må ikke gøre det. Spørg administratoren.
refused-invalid-request = Kortnetværket godtager ikke dette.
refused-offer-unreadable = Dette kort kan ikke sælges, før det er rettet i kontrolpanelet.
refused-refund-too-large = Mere end der er tilbage af indløsningen. Noget er allerede givet tilbage.
refused-no-such-redemption = Der er ingen sådan indløsning at give tilbage.
refused-too-many-requests = For mange forespørgsler.
refused-not-paired = Kassen er ikke længere tilknyttet.
refused-unreachable = Kortnetværket kunne ikke nås. Prøv igen.
refused-by-network = Kortnetværket afviste det.

not-sent-offline = Kassen har ingen forbindelse. Intet blev sendt.
not-sent-journal = Enheden kunne ikke gemme transaktionen, så den blev ikke sendt. Frigør lagerplads, og prøv så igen.
not-sent-busy = Udfaldet af en tidligere transaktion er ikke kendt endnu, så intet blev sendt. Se I dag.

look-up-no-connection = Ingen forbindelse. Kortet kunne ikke slås op. Prøv igen.
look-up-slow = Kortnetværket er langsomt og har ikke svaret. Intet blev ændret. Prøv igen.
look-up-in-use = Kortet er i brug et andet sted.
look-up-failed = Kortet kunne ikke slås op. Intet blev ændret. Prøv igen.
other-nothing = Det er ikke koden til et gavekort.
other-link = Det er et link, der ikke fører til noget af virksomhedens kort.
other-product = Det er koden til en vare, ikke til et gavekort.

## Redeem

redeem-card-title = Kort, der ender på { $card }
redeem-expired = Kortet er udløbet. Intet kan trækkes fra det.
redeem-empty = Kortet er tomt.
redeem-blocked = Kortet er spærret. Intet kan trækkes fra det.
redeem-unknown = Udfaldet af en tidligere indløsning er ikke kendt endnu. Indløs ikke kortet igen, før det er kendt: se I dag.
redeem-whole-card = Brug hele kortet
redeem-total = Købssum
redeem-from-card = Fra kortet
redeem-left-to-pay = Mangler at betale
redeem-enter-total = Indtast købssummen
redeem-button = Indløs { $amount }

## What was done with a card

history-button = Historik
history-title = Kort { $card }
history-loading = Historikken indlæses
history-issued = Udstedt
history-redeemed = Indløst
history-given-back = Givet tilbage
history-unknown = Ikke kendt endnu
history-changed = Ændret
history-differs = Det stemmer ikke med kortets saldo. Bed administratoren undersøge det.
history-balance = På kortet nu: { $amount }
history-empty-title = Intet endnu
history-empty = Det, dine kasser og din butik gør med kortet, vises her.
history-earlier = Vis tidligere
history-refunded = { $amount } givet tilbage
history-none = Kortet har ingen historik her.
history-failed = Historikken kunne ikke indlæses. Intet blev ændret.

## Camera and scanner

camera-label = Kamera
camera-title = Vis koden til kameraet
camera-hint = Hold den stille, en håndsbredde væk.
camera-failed = Kameraet kan ikke bruges. Tillad det for denne side, eller indtast koden.
camera-type = Indtast koden i stedet
scan-scanned = Scannede { $code }
scan-unreadable = Scannede en kode, der ikke kunne læses
scan-unchanged = Intet er ændret på skærmen.
scan-looking = Slår det op.
scan-another-card = Et andet kort? Intet er ændret på skærmen.
scan-find = Slå det op
scan-was-amount = Det var et beløb

## Sell

sell-title = Sælg et gavekort
sell-loading = Gavekortene indlæses
sell-failed = Gavekortene kunne ikke indlæses. Intet blev ændret.
sell-empty-title = Ingen gavekort til salg
sell-empty = Det, der er tilgængeligt i kontrolpanelet, vises her.
sell-credit-title = Giv tilgodebevis
sell-credit = For returnerede varer. Der betales intet for det. En indløsning gives tilbage under I dag.
sell-credit-free = Der betales intet for et tilgodebevis.
sell-pay-first = Tag imod betalingen først, og udsted så kortet.
sell-credit-for-customer = Tilgode til kunden
sell-to-be-paid = Kunden skal betale
sell-amounts = Beløb
sell-give-button = Giv { $amount }
sell-issue-button = Betalt, udsted { $amount }
price-range = { $min } til { $max }
price-from = { $min } eller mere
price-up-to = Op til { $max }
price-any = Valgfrit beløb
enter-any = Indtast et beløb.
enter-range = Indtast { $min } til { $max }.
enter-from = Indtast { $min } eller mere.
enter-exactly = Indtast { $amount }.
enter-at-most = Indtast højst { $amount }.

## How the customer gets the card

delivery-label = Levering
delivery-on-this-screen = På denne skærm
delivery-change = Skift
delivery-title = Hvordan får kunden det?
delivery-screen = På skærm
delivery-email = E-mail
delivery-sms = Sms
delivery-show = Vis det her
delivery-send = Send det dertil
delivery-screen-hint = Koden vises på denne skærm. Den kan fotograferes, scannes eller udskrives.
delivery-email-label = E-mailadresse
delivery-email-hint = Koden vises også her.
delivery-email-wrong = Indtast en adresse som { $example }.
delivery-sms-label = Mobilnummer
delivery-sms-hint = Med landekode, for eksempel { $example }.
delivery-sms-wrong = Indtast et mobilnummer med landekode.

## A card that was sold

sold-sent = Kortnetværket sender det til { $address }, én gang.
sold-wrong-address = Forkert adresse?
sold-wrong-address-help = Det kan ikke sendes igen. Vis koden her, eller udskriv den: det er det samme kort.
sold-no-code = Kortnetværket gav ingen kode at vise. Find ordren i kontrolpanelet.
sold-let-scan = Lad kunden fotografere eller scanne den.
sold-full-screen = Fuld skærm
sold-print = Udskriv
sold-code = Gavekortets kode

## Give back

give-back = Giv tilbage
give-back-no-credit = Virksomheden har intet tilgodebevis at give. Tilføj det blandt tilbuddene i kontrolpanelet.
give-back-all = Det hele er allerede givet tilbage.
give-back-loading = Finder ud af, hvad der kan gives tilbage
give-back-redeemed = Indløst fra { $card }
give-back-already = Allerede givet tilbage
give-back-at-most = Højst { $amount }.
give-back-continue = Fortsæt
give-back-why = Hvorfor gives det tilbage?
give-back-explained = Et nyt kort med { $amount } til gode for det, der blev indløst fra { $card }.
give-back-reason = Årsag
give-back-returned = Vare returneret
give-back-wrong-amount = Forkert beløb
give-back-other = Andet
give-back-reason-missing = Indtast årsagen.
give-back-choose = Vælg en årsag.
give-back-button = Giv { $amount } tilbage

## What became of a call

outcome-refused = Afvist
outcome-closed = Ikke udført
outcome-not-sent = Ikke sendt
outcome-by-hand = Kontrolleret manuelt
outcome-unknown = Ikke kendt endnu
outcome-redeemed = { $amount } indløst
outcome-sold = Gavekort på { $amount } solgt
outcome-credit-given = Tilgodebevis på { $amount } givet
outcome-nothing-taken = Intet blev trukket fra kortet.
outcome-none-issued = Intet kort blev udstedt.
outcome-stopped = Det blev stoppet og bliver aldrig udført.
outcome-connect = Kassen er offline. Forbind den, og prøv så igen.
outcome-found-by-hand = Udfaldet blev fundet ud af ved kassen:
outcome-late = Svaret kom sent, men det gik igennem.
outcome-amount = Beløb
outcome-card = Kort
outcome-gift-card = Gavekort
outcome-looking = Slår op
outcome-still-to-pay = Mangler at betale
outcome-left = Tilbage på kortet
outcome-back-to-today = Tilbage til I dag
outcome-back-to-amount = Tilbage til beløbet
outcome-pay-rest = Et andet kort til { $amount }

unknown-redeem = Det vides ikke, om { $amount } er blevet trukket fra kort { $card } eller ej.
unknown-issue = Det vides ikke, om et gavekort på { $amount } er blevet udstedt eller ej.
unknown-no-response = Der er intet svar endnu.
unknown-no-connection = Kassen har ingen forbindelse.
unknown-do-not-redeem = Indløs det ikke igen.
unknown-do-not-sell = Sælg det ikke igen.
unknown-wait = Bed kunden vente. Denne side finder ud af det og siger til.
unknown-final = Portalen kan ikke fortælle udfaldet. Sammenlign kortets saldo og ordrerne i kontrolpanelet.
unknown-other-merchant = Det blev påbegyndt for { $merchant } og kan ikke slås op herfra.
unknown-some-merchant = Det blev påbegyndt for en virksomhed, der ikke er kendt, og kan ikke slås op herfra.
unknown-cannot-wait = Hvis kunden ikke kan vente
unknown-leave-redeem = Tag den næste kunde, og tag imod { $total } på anden vis: det, der ikke er trukket fra kortet til den tid, bliver aldrig trukket. Hvis det blev trukket, viser kassen det under I dag.
unknown-leave-issue = Tag den næste kunde: det, der ikke er udstedt til den tid, bliver aldrig udstedt. Hvis kortet blev udstedt, er koden under I dag og kan sendes.
unknown-sent = Sendt
unknown-no-answer = Intet svar
unknown-asked =
    { $count ->
        [0] Ikke spurgt endnu
        [1] Spurgt én gang, intet svar endnu
        [2] Spurgt to gange, intet svar endnu
       *[other] Spurgt { $count } gange, intet svar endnu
    }
unknown-asks-in = spørger om { $seconds } s
unknown-asks-again-in = igen om { $seconds } s
unknown-asking = spørger
unknown-ask-now = Spørg nu
unknown-next-customer = Tag den næste kunde
by-hand = Jeg har kontrolleret det
by-hand-found = Hvad fandt du ud af?
by-hand-hint = For eksempel: saldoen er 150,50, så det blev trukket.
by-hand-missing = Beskriv i én sætning, hvad du fandt ud af.

## Today

today-title = I dag
today-empty-title = Intet endnu
today-empty = Kort, som denne kasse sælger og indløser, vises her.
today-redeemed = Indløst
today-sold = Solgt
today-done = Udført
today-redeem-row = Indløsning { $card }
today-sell-row = Salg { $offer }
today-give-row = Tilgode { $offer }
today-earlier-version = Tidligere version

## Receipt, for the till

receipt-print = Udskriv kvittering
receipt-no-paper = Intet papir? Lad kunden scanne
receipt-page = Siden spørger efter kortets kode og viser saldoen.

## Ticket, receipt and codes: for the customer

qr-gift-card = Gavekortets QR-kode
qr-balance-page = QR-kode til siden, der viser, hvad der er tilbage på et kort
paper-label = Til udskrift
ticket-valid-to = Gyldigt til { $date }
ticket-advice = Vis denne kode for at betale med den. Pas på den som på kontanter: den, der har koden, kan bruge den.
paper-balance = Tilbage på et kort:
receipt-title = Betalt med gavekort
receipt-total = Købssum
receipt-card = Kort
receipt-left = Tilbage på kortet
receipt-reference = Reference
