# en.ftl says where these messages stand.

## The page of a shop

shop-title = Cartes cadeaux chez { $shop }
shop-description = Cartes cadeaux chez { $shop }, pour toutes les occasions.
shop-visit = Visiter { $host }
shop-gift-cards = Cartes cadeaux
shop-empty-title = Pas encore de cartes cadeaux
shop-empty = { $shop } n’a pas de cartes cadeaux en vente en ce moment.
shop-sold-by = Les cartes cadeaux sont vendues par { $shop }.
shop-sold-in-shop = Les cartes cadeaux sont vendues en magasin.
shop-check-balance = Consulter le solde d’une carte
shop-terms = Conditions générales

## A gift card on sale

offer-drawn = Carte cadeau
offer-amounts = Montant pour { $offer }
offer-other = Autre
offer-other-amount = Autre montant
offer-amount-in = Montant en { $currency }
offer-enter-range = Saisissez un montant de { $min } à { $max }.
offer-enter-from = Saisissez { $min } ou plus.
offer-enter-up-to = Saisissez { $max } au maximum.
offer-enter-any = Saisissez un montant.
offer-range = { $min } à { $max }
offer-from = { $min } ou plus
offer-up-to = Jusqu’à { $max }
offer-any = Montant libre
offer-buy = Acheter
offer-buy-any = Acheter { $offer }
offer-buy-for = Acheter { $offer }, { $amount }
offer-sold-in-shop = En vente en magasin

## The page of card holders

card-title = Votre carte cadeau chez { $shop }
card-heading = Votre carte cadeau
card-code = Code de la carte
card-code-hint = Le code figure sur la carte, sur son reçu ou dans l’e-mail que vous avez reçu.
card-show = Afficher le solde
card-balance = Solde
card-unknown = Inconnu pour le moment
card-valid-until = Valable jusqu’au
card-expired-on = Expirée le
card-reference = Carte
card-pay = Pour l’utiliser, faites scanner le code en caisse chez { $shop }.
card-empty = Le solde de cette carte est nul.
card-expired = Cette carte ne peut plus être utilisée.
card-blocked = Cette carte ne peut pas être utilisée pour le moment. Veuillez vous adresser à { $shop }.
card-qr = Code de la carte, à scanner
card-another = Consulter une autre carte

## Why there is no balance

refused-no-code = Veuillez saisir le code de votre carte.
refused-long-code = Ce code est trop long : il peut avoir au plus 500 caractères.
refused-unknown-card = Cette boutique n’a pas de carte cadeau avec ce code.
refused-too-many = Trop de codes ont été essayés. Veuillez réessayer plus tard.
refused-network = La carte ne peut pas être consultée pour le moment. Veuillez réessayer.
refused-failed = Une erreur s’est produite. Veuillez réessayer.

## In the place of a page

missing-shop = Il n’y a pas de boutique à cette adresse.
missing-shop-advice = Vérifiez l’adresse ou demandez le lien.
failed-catalog = Le catalogue n’a pas pu être chargé. Veuillez réessayer.
failed-advice = Rien n’a été modifié.

## Languages

menu-label = Langue
