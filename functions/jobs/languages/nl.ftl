# en.ftl says where these messages stand.

## In all mails

greeting = Hallo { $name },
greeting-nobody = Hallo,
open-portal = Portaal openen
somebody = Een lid van het team
your-account = Uw bedrijfsaccount
unknown-program = onbekend programma

## A code to sign in

code-subject = Uw inlogcode
code-text = Voer deze code in om in te loggen bij { $host }:
code-details = De code is aangevraagd om { $from } UTC ({ $browser }) en kan één keer worden gebruikt, tot { $until } UTC.
code-secret = Houd deze code voor uzelf: lees hem aan niemand voor en voer hem nergens anders in. Wij vragen er nooit om.
code-unexpected = Hebt u de code niet aangevraagd, dan kunt u deze e-mail negeren: zonder de code kan niemand inloggen.
codes-off-subject = Uw inlogcodes zijn uitgeschakeld
codes-off-text = Om { $time } UTC is een inlogcode aangevraagd ({ $browser }). U hebt codes uitgeschakeld: log in met een passkey.
codes-off-unexpected = Hebt u de code niet aangevraagd, dan kunt u deze e-mail negeren. Bent u al uw passkeys kwijt, beantwoord deze e-mail dan.

## An invitation, which its maker confirms

confirm-subject = Bevestig uw uitnodiging
confirm-text = U nodigt { $person } ({ $email }) uit voor uw team bij { $host }, met deze rechten:
confirm-enter = Voer deze code in om de uitnodiging te bevestigen:
confirm-unexpected = Hebt u deze persoon niet uitgenodigd, dan gebruikt iemand anders misschien uw sessie: voer de code nergens in, open uw account in het dashboard en beëindig al uw sessies.
invite-subject = U bent uitgenodigd voor { $shop }
invite-text = { $person } heeft u uitgenodigd om in het bedrijfsportaal voor { $shop } te werken, met deze rechten:
invite-sign-in = Log in met dit adres ({ $email }) om de uitnodiging te accepteren:
invite-open = Uitnodiging openen
invite-until = De uitnodiging kan tot { $day } worden geaccepteerd.
invite-unexpected = Kent u deze persoon niet, dan kunt u deze e-mail negeren.

## What a member may do: a list

role-admin = Beheerder: alles, ook het team
role-full = Volledige toegang: alles behalve het team
role-viewer = Leestoegang: alleen lezen
role-other = Lid
may-nothing = Nog niets
may-information = Bedrijfsgegevens bekijken en wijzigen
may-organization = Winkels beheren
may-team = Voor het team uitnodigen, team en kassa’s beheren
may-gift-cards = Aanbod beheren en kaarten opzoeken
may-analytics = Statistieken bekijken
may-reports = Afrekeningen bekijken
may-orders = Bestellingen bekijken
may-pos = Verkopen en verzilveren aan een kassa

## How one signs in

device-subject = U hebt ingelogd met een nieuwe browser
device-text = Met uw account is op { $day } om { $time } UTC ingelogd met een nieuwe browser: { $browser }.
device-unexpected = Was u dit niet, dan kan iemand uw e-mail lezen. Log overal uit in het portaal, beveilig uw mailbox en beantwoord deze e-mail, zodat wij dit kunnen onderzoeken.
passkey-added-subject = Er is een passkey toegevoegd
passkey-added = De passkey { $name } is op { $day } om { $time } UTC aan uw account toegevoegd. Er kan nu mee worden ingelogd.
passkey-removed-subject = Er is een passkey verwijderd
passkey-removed = De passkey { $name } is op { $day } om { $time } UTC uit uw account verwijderd, en u bent overal uitgelogd.
passkey-removed-codes-on = U kunt weer inloggen met codes per e-mail, omdat het verlies van één apparaat u anders zou kunnen buitensluiten.
passkey-refused-subject = Er is een passkey geweigerd
passkey-refused = Een poging om in te loggen met de passkey { $name } is op { $day } om { $time } UTC geweigerd, omdat er mogelijk een kopie van bestaat.
passkey-refused-advice = Verwijder de passkey in het portaal, tenzij u van de kopie weet.
codes-turned-off-subject = Inlogcodes zijn uitgeschakeld
codes-turned-off = Codes per e-mail zijn voor uw account uitgeschakeld op { $day } om { $time } UTC: inloggen kan alleen met uw passkeys.
codes-turned-on-subject = Inlogcodes zijn ingeschakeld
codes-turned-on = Codes per e-mail zijn voor uw account weer ingeschakeld op { $day } om { $time } UTC.
codes-turned-on-by-platform = Het platform heeft codes per e-mail voor uw account weer ingeschakeld op { $day } om { $time } UTC, omdat iemand ons heeft gemeld dat u uw passkeys kwijt bent.
sign-in-unexpected = Was u dit niet, dan kan iemand anders uw account gebruiken. Log overal uit in het portaal, beveilig uw mailbox en beantwoord deze e-mail, zodat wij dit kunnen onderzoeken.

## The merchant's account

account-subject = Uw bedrijfsgegevens zijn gewijzigd
account-text = De gegevens van { $shop } zijn op { $day } om { $time } UTC gewijzigd, vanuit uw account of met een API-sleutel die u hebt aangemaakt.
account-text-nameless = De gegevens van uw bedrijfsaccount zijn op { $day } om { $time } UTC gewijzigd, vanuit uw account of met een API-sleutel die u hebt aangemaakt.
account-what = De wijziging kan de namen of nummers van het bedrijf betreffen, de website, het logo of de tijdzone. Bekijk de huidige gegevens:
account-unexpected = Was u dit niet, meld het dan aan een beheerder van uw team en beantwoord deze e-mail, zodat wij dit kunnen onderzoeken.
verify-subject = Verifieer uw bedrijf om verder te gaan
verify-text = Bedankt, wij hebben de aanvraag van { $shop } ontvangen.
verify-text-nameless = Bedankt, wij hebben de aanvraag van uw bedrijf ontvangen.
verify-next = De volgende stap is de verificatie van het bedrijf en de mensen die het leiden. Onze verificatiepartner doet dit op zijn eigen pagina:
verify-open = Bedrijf verifiëren
verify-time = Het duurt een paar minuten. Houd een identiteitsbewijs en het registratiebewijs van het bedrijf bij de hand. Zodra wij de uitslag weten, verschijnt die in het portaal.
verify-unexpected = Hebt u geen aanvraag gedaan, volg de link dan niet, maar beantwoord deze e-mail, zodat wij dit kunnen onderzoeken.
status-subject = De status van uw bedrijfsaccount is gewijzigd
status-active = { $shop } is actief.
status-active-means = Uw kassa’s kunnen cadeaukaarten verkopen en verzilveren.
status-suspended = { $shop } is geblokkeerd.
status-suspended-means = Tot nader order kunnen cadeaukaarten niet worden verkocht en niet worden verzilverd.
status-closed = { $shop } is gesloten.
status-closed-means = Cadeaukaarten kunnen niet meer worden verkocht of verzilverd.
status-declined = { $shop } is afgewezen.
status-declined-means = Wij kunnen de aanvraag van uw bedrijf niet accepteren.
status-waiting = { $shop } wacht op meer informatie.
status-waiting-means = Wij kunnen nog niet over uw aanvraag beslissen. Vul haar in het portaal aan en dien haar opnieuw in.
status-draft = { $shop } is een concept.
status-draft-means = Maak de aanvraag in het portaal af en dien haar in.
status-review = { $shop } wordt beoordeeld.
status-review-means = Wij laten het u weten zodra wij over uw aanvraag hebben beslist.
status-questions = Hebt u vragen, beantwoord dan deze e-mail.
image-subject = Een afbeelding van uw cadeaukaarten is weggehaald
image-text = Wij hebben een afbeelding weggehaald die { $shop } had gepubliceerd: { $image }
image-means = De afbeelding is verwijderd en niet meer te zien. Cadeaukaarten waarop ze staat, hebben een andere afbeelding nodig.
image-unexpected = Denkt u dat dit een vergissing is, beantwoord dan deze e-mail.

## News of the team, to its administrators

joined-subject = Iemand is lid geworden van het team van { $shop }
joined = { $person } ({ $email }) is op { $day } om { $time } UTC lid geworden van het team van { $shop }.
joined-unexpected = Heeft niemand van u deze persoon uitgenodigd, verwijder die dan in het dashboard.
left-subject = Iemand heeft het team van { $shop } verlaten
left = { $person } ({ $email }) heeft op { $day } om { $time } UTC het team van { $shop } verlaten.
removed-subject = Iemand is verwijderd uit het team van { $shop }
removed = { $person } ({ $email }) is op { $day } om { $time } UTC verwijderd uit het team van { $shop }.
administrator-subject = { $shop } heeft een nieuwe beheerder
administrator = { $person } ({ $email }) is op { $day } om { $time } UTC beheerder van { $shop } geworden.
team-open = Team bekijken
team-unexpected = Is dit niet zoals het hoort, controleer dan het team en de activiteit ervan in het dashboard.
till-subject = Er is een kassa gekoppeld aan { $shop }
till-text = De kassa { $till } van winkel { $store } is op { $day } om { $time } UTC gekoppeld. Ze kan cadeaukaarten van { $shop } verkopen en verzilveren.
till-open = Alle kassa’s bekijken
till-unexpected = Herkent u deze kassa niet, trek haar dan in het dashboard in: ze werkt dan direct niet meer.

## News of keys, which let a program call the API

key-created-subject = Er is een API-sleutel aangemaakt voor { $shop }
key-created = { $person } heeft op { $day } om { $time } UTC de API-sleutel { $key } van { $shop } aangemaakt.
key-rotated-subject = Er is een API-sleutel vernieuwd bij { $shop }
key-rotated = { $person } heeft op { $day } om { $time } UTC het geheim van de API-sleutel { $key } van { $shop } vervangen.
key-reads = Hiermee kan een programma lezen wat onder deze rechten valt: { $permissions }. De sleutel verloopt op { $day } om { $time } UTC.
key-writes = Hiermee kan een programma lezen en wijzigen wat onder deze rechten valt: { $permissions }. De sleutel verloopt op { $day } om { $time } UTC.
key-unexpected = Herkent u deze sleutel niet, trek hem dan in het dashboard in: hij werkt dan direct niet meer.
key-ending-subject = Een API-sleutel van { $shop } werkt binnenkort niet meer
key-ending = De API-sleutel { $key } van { $shop } werkt vanaf { $day } om { $time } UTC niet meer: { $person }, die hem heeft aangemaakt, heeft het team verlaten of kan de rechten ervan niet meer verlenen.
key-expiring-subject = Er verloopt binnenkort een API-sleutel bij { $shop }
key-expiring = De API-sleutel { $key } van { $shop } verloopt op { $day } om { $time } UTC.
key-rotate = Is de sleutel nog nodig, dan kan iemand die deze rechten heeft hem vóór die tijd in het dashboard vernieuwen en het nieuwe geheim aan het programma geven. Anders hoeft er niets te gebeuren.
key-revoked-subject = Er is een API-sleutel ingetrokken bij { $shop }
key-revoked = Het platform heeft op { $day } om { $time } UTC de API-sleutel { $key } van { $shop } ingetrokken: mogelijk kennen anderen hem. Programma’s die hem nog gebruiken, worden geweigerd.
key-replace = Maak in het dashboard een andere API-sleutel aan en zoek uit waar de oude is gepubliceerd.
key-open = Alle API-sleutels bekijken

## News of webhooks

webhook-set-subject = Er is een webhook-eindpunt ingesteld voor { $shop }
webhook-set = { $person } heeft { $host } op { $day } om { $time } UTC ingesteld om deze berichten van { $shop } te ontvangen, en geen andere: { $events }.
webhook-set-unexpected = Herkent u dit adres niet of ontbreekt er een bericht, vraag uw ontwikkelaar dan het eindpunt te wijzigen of te verwijderen.
webhook-deleted-subject = Er is een webhook-eindpunt verwijderd voor { $shop }
webhook-deleted = { $person } heeft op { $day } om { $time } UTC het eindpunt { $host } verwijderd. Er wordt niets meer naartoe gestuurd.
webhook-disabled-subject = Berichten van { $shop } worden niet meer afgeleverd
webhook-gone = Sinds { $day } om { $time } UTC is er niets meer van { $shop } naar { $host } gestuurd: het eindpunt heeft geantwoord dat het geen berichten meer wil.
webhook-failing = Sinds { $day } om { $time } UTC is er niets meer van { $shop } naar { $host } gestuurd: het eindpunt heeft vijf dagen lang geen bericht geaccepteerd.
webhook-enable = Nieuwe berichten worden drie dagen bewaard. Vraag uw ontwikkelaar het eindpunt in te schakelen zodra het weer werkt.
webhook-open = Alle eindpunten bekijken
