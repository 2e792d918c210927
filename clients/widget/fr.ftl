# gift-card-widget.js has these messages in English.

heading = Cartes cadeaux
card = Carte cadeau
choose = Choisir { $amount }
enter = Saisir un montant
amount = Montant en { $currency }
amounts = { $card } : montant
chosen = Votre choix : { $choice }
none = Pas encore de cartes cadeaux. Elles apparaîtront ici.
failed = Les cartes cadeaux n’ont pas pu être chargées. Rien n’a été modifié.
retry = Réessayer
