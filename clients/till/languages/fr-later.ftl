# What the till says after its first screen. It is loaded right after the first paint.

## Frame

close = Fermer
again = Réessayer
next-customer = Client suivant
not-known = Inconnu

late-redeem-done = La réponse a tardé, mais l’opération a été effectuée : { $amount }, { $card }
late-redeem-failed = Rien n’a été débité de la carte : { $amount }, { $card }
late-issue-done = La réponse a tardé, mais la carte a été émise : { $amount }
late-issue-failed = Aucune carte n’a été émise : { $amount }
no-journal = Ce navigateur n’enregistre rien pour la caisse : il est donc impossible de vendre ou d’encaisser des cartes. Quittez la fenêtre privée, ou autorisez le stockage pour cette page, puis rechargez-la.
not-revoked = Le portail n’a pas pu être joint : cet appareil a donc encore accès. L’accès prendra fin dès que le portail pourra être joint d’ici. Pour y mettre fin maintenant, révoquez la caisse dans le tableau de bord, sous « Stores and tills ».
moving-redeem = { $amount } en cours de débit de la carte
moving-issue = Carte cadeau de { $amount } en cours d’émission
moving-slow-redeem = Le réseau de cartes est lent. Le montant est débité une fois au plus.
moving-slow-issue = Le réseau de cartes est lent. Une seule carte est émise au plus.

## Menu

menu-open-calls = Le résultat d’une opération n’est pas encore connu. Si vous dissociez la caisse, il sera perdu : attendez qu’il soit connu.
menu-unpairing = La dissociation déconnecte la caisse et efface la liste du jour. Il faudra ensuite un nouveau code du tableau de bord.
menu-signals = Son et vibration quand une opération est effectuée ou refusée
menu-unpair = Dissocier { $till }
menu-language = Langue
menu-language-browser = { $language } (comme le navigateur)
menu-customer-language = Langue des cartes imprimées et des reçus
menu-customer-language-till = { $language } (comme la caisse)

## Pairing

pairing-title = Associer cette caisse
pairing-title-again = Associer { $till } à nouveau
pairing-lead = Dans le tableau de bord, ouvrez « Stores and tills », ajoutez une caisse et saisissez son code ici.
pairing-lead-again = La caisse a été déconnectée. Votre saisie sera toujours là une fois la caisse associée.
pairing-code = Code d’association
pairing-hint = { $count } caractères. Il est valable une seule fois, pendant 10 minutes.
pairing-too-short = Saisissez les { $count } caractères du code.
pairing-button = Associer la caisse
pairing-busy = Association en cours
pairing-failed-connection = Pas de connexion. Réessayez.
pairing-failed-code = Ce code est incorrect ou a expiré.
pairing-failed-attempts = Trop de tentatives.
pairing-failed = La caisse n’a pas pu être associée. Réessayez.

## Entering an amount

keypad-label = Montant
keypad-erase = Effacer un chiffre
enter-amount = Saisissez le montant
note-as-fast-as-scanner = La saisie a été aussi rapide que celle d’un lecteur. Vérifiez-la, puis appuyez sur le bouton.
note-press-again = Vérifiez, puis appuyez de nouveau sur Entrée.
note-no-decimals = { $currency } n’a pas de décimales. Le séparateur a été ignoré.
note-separator = Le séparateur a été ignoré.
note-too-many-decimals = { $currency } a { $decimals } décimales. Le chiffre { $key } a été ignoré.
note-second-separator = Un second séparateur a été ignoré.

## When to try again

retry-now = Réessayez maintenant.
retry-seconds = Réessayez dans { $seconds } s.
retry-minutes = Réessayez dans { $minutes } min.

## Cards

card-gift-card = Carte cadeau
card-valid-to = Valable jusqu’au { $date }
card-expired-on = Expirée le { $date }
card-balance = Solde
card-on-it-now = Sur la carte maintenant

## Why something failed

refused-card-not-found = Cette carte n’existe pas. Scannez-la de nouveau.
refused-card-blocked = La carte est bloquée.
refused-card-expired = La carte a expiré.
refused-insufficient-funds = Le solde de la carte est insuffisant.
refused-invalid-amount = Le réseau de cartes n’accepte pas ce montant.
refused-offer-not-found = Cette carte n’est plus vendue.
refused-offer-not-available = Cette carte n’est pas vendue en ce moment.
refused-rate-limited = Le réseau de cartes est saturé.
refused-merchant-not-active = L’entreprise n’est pas active : aucune carte cadeau ne peut être vendue ni encaissée.
refused-forbidden = Cette caisse n’y est pas autorisée. Demandez à l’administrateur.
refused-invalid-request = Le réseau de cartes n’accepte pas cette demande.
refused-offer-unreadable = Cette carte ne peut pas être vendue tant qu’elle n’est pas corrigée dans le tableau de bord.
refused-refund-too-large = C’est plus que ce qui reste de cet encaissement. Une partie a déjà été remboursée.
refused-no-such-redemption = Cet encaissement n’existe pas : il n’y a rien à rembourser.
refused-too-many-requests = Trop de demandes.
refused-not-paired = Cette caisse n’est plus associée.
refused-unreachable = Le réseau de cartes n’a pas pu être joint. Réessayez.
refused-by-network = Le réseau de cartes a refusé.

not-sent-offline = La caisse n’a pas de connexion. Rien n’a été envoyé.
not-sent-journal = Cet appareil n’a pas pu enregistrer l’opération : elle n’a donc pas été envoyée. Libérez de l’espace de stockage, puis réessayez.
not-sent-busy = Le résultat d’une opération précédente n’est pas encore connu : rien n’a donc été envoyé. Voir « Aujourd’hui ».

look-up-no-connection = Pas de connexion. La carte n’a pas pu être consultée. Réessayez.
look-up-slow = Le réseau de cartes est lent et n’a pas répondu. Rien n’a été modifié. Réessayez.
look-up-in-use = La carte est utilisée ailleurs.
look-up-failed = La carte n’a pas pu être consultée. Rien n’a été modifié. Réessayez.
other-nothing = Ce n’est pas le code d’une carte cadeau.
other-link = C’est un lien qui ne mène à aucune carte de cette entreprise.
other-product = C’est le code d’un article, pas d’une carte cadeau.

## Redeem

redeem-card-title = Carte se terminant par { $card }
redeem-expired = Cette carte a expiré. Rien ne peut en être débité.
redeem-empty = Cette carte est vide.
redeem-blocked = Cette carte est bloquée. Rien ne peut en être débité.
redeem-unknown = Le résultat d’un encaissement précédent n’est pas encore connu. N’encaissez pas cette carte de nouveau d’ici là : voir « Aujourd’hui ».
redeem-whole-card = Utiliser tout le solde
redeem-total = Total de l’achat
redeem-from-card = À débiter de la carte
redeem-left-to-pay = Reste à payer
redeem-enter-total = Saisissez le total de l’achat
redeem-button = Encaisser { $amount }

## What was done with a card

history-button = Historique
history-title = Carte { $card }
history-loading = Chargement de l’historique
history-issued = Émise
history-redeemed = Encaissé
history-given-back = Remboursé en avoir
history-unknown = Pas encore connu
history-changed = Modifiée
history-differs = Cela ne correspond pas au solde de la carte. Demandez à l’administrateur de vérifier.
history-balance = Sur la carte maintenant : { $amount }
history-empty-title = Rien pour l’instant
history-empty = Ce que vos caisses et votre boutique font avec cette carte apparaît ici.
history-earlier = Afficher les précédents
history-refunded = { $amount } remboursés en avoir
history-none = Cette carte n’a pas d’historique ici.
history-failed = L’historique n’a pas pu être chargé. Rien n’a été modifié.

## Camera and scanner

camera-label = Appareil photo
camera-title = Montrez le code à l’appareil photo
camera-hint = Tenez-le immobile, à une largeur de main.
camera-failed = L’appareil photo est inutilisable. Autorisez-le pour cette page ou tapez le code.
camera-type = Taper le code
scan-scanned = Scanné : { $code }
scan-unreadable = Scanné : un code illisible
scan-unchanged = L’écran n’a pas changé.
scan-looking = Recherche de la carte.
scan-another-card = Une autre carte ? L’écran n’a pas changé.
scan-find = Chercher la carte
scan-was-amount = C’était un montant

## Sell

sell-title = Vendre une carte cadeau
sell-loading = Chargement des cartes cadeaux
sell-failed = Les cartes cadeaux n’ont pas pu être chargées. Rien n’a été modifié.
sell-empty-title = Aucune carte cadeau en vente
sell-empty = Les offres disponibles dans le tableau de bord apparaissent ici.
sell-credit-title = Émettre un avoir
sell-credit = Pour des articles rendus. Le client ne paie rien. Un encaissement se rembourse depuis « Aujourd’hui ».
sell-credit-free = Le client ne paie rien pour un avoir.
sell-pay-first = Encaissez d’abord le paiement, puis émettez la carte.
sell-credit-for-customer = Avoir pour le client
sell-to-be-paid = À payer par le client
sell-amounts = Montants
sell-give-button = Émettre un avoir de { $amount }
sell-issue-button = Payé, émettre { $amount }
price-range = { $min } à { $max }
price-from = { $min } ou plus
price-up-to = Jusqu’à { $max }
price-any = Montant libre
enter-any = Saisissez un montant.
enter-range = Saisissez un montant de { $min } à { $max }.
enter-from = Saisissez { $min } ou plus.
enter-exactly = Saisissez { $amount }.
enter-at-most = Saisissez { $amount } au maximum.

## How the customer gets the card

delivery-label = Réception
delivery-on-this-screen = Sur cet écran
delivery-change = Modifier
delivery-title = Comment le client reçoit-il la carte ?
delivery-screen = À l’écran
delivery-email = E-mail
delivery-sms = SMS
delivery-show = L’afficher ici
delivery-send = L’envoyer
delivery-screen-hint = Son code est affiché sur cet écran. Il peut être photographié, scanné ou imprimé.
delivery-email-label = Adresse e-mail
delivery-email-hint = Le code est aussi affiché ici.
delivery-email-wrong = Saisissez une adresse comme { $example }.
delivery-sms-label = Numéro de mobile
delivery-sms-hint = Avec l’indicatif du pays, comme { $example }.
delivery-sms-wrong = Saisissez un numéro de mobile avec l’indicatif du pays.

## A card that was sold

sold-sent = Le réseau de cartes l’envoie à { $address }, une seule fois.
sold-wrong-address = Mauvaise adresse ?
sold-wrong-address-help = Elle ne peut pas être renvoyée. Montrez le code ici ou imprimez-le : c’est la même carte.
sold-no-code = Le réseau de cartes n’a fourni aucun code à afficher. Cherchez la commande dans le tableau de bord.
sold-let-scan = Laissez le client le photographier ou le scanner.
sold-full-screen = Plein écran
sold-print = Imprimer
sold-code = Code de la carte cadeau

## Give back

give-back = Rembourser en avoir
give-back-no-credit = Cette entreprise ne propose pas d’avoir. Ajoutez-en un aux offres dans le tableau de bord.
give-back-all = Tout a déjà été remboursé.
give-back-loading = Recherche de ce qui peut être remboursé
give-back-redeemed = Débité de { $card }
give-back-already = Déjà remboursé
give-back-at-most = { $amount } au maximum.
give-back-continue = Continuer
give-back-why = Pourquoi ce remboursement ?
give-back-explained = Une nouvelle carte avec un avoir de { $amount }, pour ce qui a été débité de { $card }.
give-back-reason = Motif
give-back-returned = Articles rendus
give-back-wrong-amount = Montant erroné
give-back-other = Autre
give-back-reason-missing = Saisissez le motif.
give-back-choose = Choisissez un motif.
give-back-button = Rembourser { $amount } en avoir

## What became of a call

outcome-refused = Refusé
outcome-closed = Non effectué
outcome-not-sent = Non envoyé
outcome-by-hand = Vérifié manuellement
outcome-unknown = Pas encore connu
outcome-redeemed = { $amount } encaissés
outcome-sold = Carte cadeau de { $amount } vendue
outcome-credit-given = Avoir de { $amount } émis
outcome-nothing-taken = Rien n’a été débité de la carte.
outcome-none-issued = Aucune carte n’a été émise.
outcome-stopped = L’opération a été arrêtée et ne sera jamais effectuée.
outcome-connect = La caisse est hors ligne. Connectez-la, puis réessayez.
outcome-found-by-hand = Le résultat a été constaté à la caisse :
outcome-late = La réponse a tardé, mais l’opération a été effectuée.
outcome-amount = Montant
outcome-card = Carte
outcome-gift-card = Carte cadeau
outcome-looking = Recherche
outcome-still-to-pay = Reste à payer
outcome-left = Solde restant
outcome-back-to-today = Retour à « Aujourd’hui »
outcome-back-to-amount = Retour au montant
outcome-pay-rest = Autre carte pour { $amount }

unknown-redeem = On ne sait pas si { $amount } ont été débités de la carte { $card } ou non.
unknown-issue = On ne sait pas si une carte cadeau de { $amount } a été émise ou non.
unknown-no-response = Il n’y a pas encore de réponse.
unknown-no-connection = La caisse n’a pas de connexion.
unknown-do-not-redeem = Ne l’encaissez pas de nouveau.
unknown-do-not-sell = Ne la vendez pas de nouveau.
unknown-wait = Demandez au client d’attendre. Cette page se renseigne et vous informe.
unknown-final = Le portail ne peut pas donner le résultat. Comparez le solde de la carte et les commandes dans le tableau de bord.
unknown-other-merchant = L’opération a été lancée pour { $merchant } et ne peut pas être consultée d’ici.
unknown-some-merchant = L’opération a été lancée pour une entreprise inconnue et ne peut pas être consultée d’ici.
unknown-cannot-wait = Si le client ne peut pas attendre
unknown-leave-redeem = Servez le client suivant et encaissez les { $total } autrement : ce qui n’aura pas été débité de la carte d’ici là ne le sera jamais. Si le débit a eu lieu, cette caisse l’affiche sous « Aujourd’hui ».
unknown-leave-issue = Servez le client suivant : ce qui n’aura pas été émis d’ici là ne le sera jamais. Si la carte a été émise, le code est sous « Aujourd’hui » et peut être envoyé.
unknown-sent = Envoyé
unknown-no-answer = Pas de réponse
unknown-asked =
    { $count ->
        [0] Pas encore demandé
        [1] Demandé une fois, pas encore de réponse
        [2] Demandé deux fois, pas encore de réponse
       *[other] Demandé { $count } fois, pas encore de réponse
    }
unknown-asks-in = demande dans { $seconds } s
unknown-asks-again-in = de nouveau dans { $seconds } s
unknown-asking = demande en cours
unknown-ask-now = Demander maintenant
unknown-next-customer = Servir le client suivant
by-hand = J’ai vérifié
by-hand-found = Qu’avez-vous constaté ?
by-hand-hint = Par exemple : le solde est de 150,50, le débit a donc eu lieu.
by-hand-missing = Décrivez en une phrase ce que vous avez constaté.

## Today

today-title = Aujourd’hui
today-empty-title = Rien pour l’instant
today-empty = Les cartes que cette caisse vend et encaisse apparaissent ici.
today-redeemed = Encaissé
today-sold = Vendu
today-done = Effectué
today-redeem-row = Encaissement { $card }
today-sell-row = Vente { $offer }
today-give-row = Avoir { $offer }
today-earlier-version = Version antérieure

## Receipt, for the till

receipt-print = Imprimer le reçu
receipt-no-paper = Pas de papier ? Laissez le client scanner
receipt-page = La page demande le code de la carte et affiche son solde.

## Ticket, receipt and codes: for the customer

qr-gift-card = Code QR de la carte cadeau
qr-balance-page = Code QR de la page qui affiche ce qui reste sur une carte
paper-label = À imprimer
ticket-valid-to = Valable jusqu’au { $date }
ticket-advice = Montrez ce code pour payer. Conservez-le comme de l’argent liquide : quiconque a le code peut l’utiliser.
paper-balance = Consulter le solde :
receipt-title = Payé par carte cadeau
receipt-total = Total de l’achat
receipt-card = Carte
receipt-left = Solde restant
receipt-reference = Référence
