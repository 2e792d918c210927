# en.ftl says where these messages stand.

## In all mails

greeting = Bonjour { $name },
greeting-nobody = Bonjour,
open-portal = Ouvrir le portail
somebody = Un membre de l’équipe
your-account = Votre compte marchand
unknown-program = programme inconnu

## A code to sign in

code-subject = Votre code de connexion
code-text = Saisissez ce code pour vous connecter à { $host } :
code-details = Il a été demandé à { $from } UTC ({ $browser }) et peut être utilisé une seule fois, jusqu’à { $until } UTC.
code-secret = Gardez ce code pour vous : ne le lisez à personne et ne le saisissez nulle part ailleurs. Nous ne vous le demandons jamais.
code-unexpected = Si vous ne l’avez pas demandé, vous pouvez ignorer cet e-mail : personne ne peut se connecter sans le code.
codes-off-subject = Vos codes de connexion sont désactivés
codes-off-text = Un code de connexion a été demandé à { $time } UTC ({ $browser }). Vous avez désactivé les codes : connectez-vous avec une clé d’accès.
codes-off-unexpected = Si vous ne l’avez pas demandé, vous pouvez ignorer cet e-mail. Si vous avez perdu toutes vos clés d’accès, répondez à cet e-mail.

## An invitation, which its maker confirms

confirm-subject = Confirmez votre invitation
confirm-text = Vous êtes en train d’inviter { $person } ({ $email }) dans votre équipe sur { $host }, avec cet accès :
confirm-enter = Saisissez ce code pour confirmer l’invitation :
confirm-unexpected = Si vous n’avez pas invité cette personne, il se peut que quelqu’un d’autre utilise votre session : ne saisissez le code nulle part, ouvrez votre compte dans le tableau de bord et mettez fin à toutes vos sessions.
invite-subject = Invitation à rejoindre l’équipe chez { $shop }
invite-text = { $person } vous invite à travailler pour { $shop } dans le portail marchand, avec cet accès :
invite-sign-in = Connectez-vous avec cette adresse ({ $email }) pour accepter :
invite-open = Ouvrir l’invitation
invite-until = L’invitation peut être acceptée jusqu’au { $day }.
invite-unexpected = Si vous ne connaissez pas cette personne, vous pouvez ignorer cet e-mail.

## What a member may do: a list

role-admin = Administrateur : tout, y compris l’équipe
role-full = Accès complet : tout sauf l’équipe
role-viewer = Lecteur : lecture seule
role-other = Membre
may-nothing = Rien pour l’instant
may-information = Voir et modifier les informations de l’entreprise
may-organization = Gérer les magasins
may-team = Inviter dans l’équipe, gérer l’équipe et les caisses
may-gift-cards = Gérer les offres et consulter les cartes
may-analytics = Voir les statistiques
may-reports = Voir les règlements
may-orders = Voir les commandes
may-pos = Vendre et encaisser à une caisse

## How one signs in

device-subject = Connexion avec un nouveau navigateur
device-text = Une connexion à votre compte a eu lieu avec un nouveau navigateur le { $day } à { $time } UTC : { $browser }.
device-unexpected = Si ce n’était pas vous, quelqu’un peut lire vos e-mails. Déconnectez-vous partout dans le portail, sécurisez votre messagerie et répondez à cet e-mail pour que nous puissions examiner la situation.
passkey-added-subject = Une clé d’accès a été ajoutée
passkey-added = La clé d’accès { $name } a été ajoutée à votre compte le { $day } à { $time } UTC. Elle peut désormais servir à se connecter.
passkey-removed-subject = Une clé d’accès a été supprimée
passkey-removed = La clé d’accès { $name } a été supprimée de votre compte le { $day } à { $time } UTC, et toutes vos sessions ont été fermées.
passkey-removed-codes-on = Vous pouvez de nouveau vous connecter avec des codes envoyés par e-mail, car sinon la perte d’un seul appareil pourrait vous empêcher d’accéder à votre compte.
passkey-refused-subject = Une clé d’accès a été refusée
passkey-refused = Une connexion avec la clé d’accès { $name } a été refusée le { $day } à { $time } UTC, car il en existe peut-être une copie.
passkey-refused-advice = Supprimez la clé d’accès dans le portail, sauf si vous êtes au courant de la copie.
codes-turned-off-subject = Les codes de connexion sont désactivés
codes-turned-off = Les codes envoyés par e-mail ont été désactivés pour votre compte le { $day } à { $time } UTC : seules vos clés d’accès permettent de vous connecter.
codes-turned-on-subject = Les codes de connexion sont activés
codes-turned-on = Les codes envoyés par e-mail ont été réactivés pour votre compte le { $day } à { $time } UTC.
codes-turned-on-by-platform = La plateforme a réactivé les codes envoyés par e-mail pour votre compte le { $day } à { $time } UTC, car quelqu’un nous a signalé que vous aviez perdu vos clés d’accès.
sign-in-unexpected = Si ce n’était pas vous, quelqu’un d’autre peut utiliser votre compte. Déconnectez-vous partout dans le portail, sécurisez votre messagerie et répondez à cet e-mail pour que nous puissions examiner la situation.

## The merchant's account

account-subject = Les informations de votre entreprise ont été modifiées
account-text = Les informations de l’entreprise { $shop } ont été modifiées le { $day } à { $time } UTC, depuis votre compte ou avec une clé API que vous avez créée.
account-text-nameless = Les informations de votre compte marchand ont été modifiées le { $day } à { $time } UTC, depuis votre compte ou avec une clé API que vous avez créée.
account-what = La modification peut porter sur les noms ou les numéros de l’entreprise, son site web, son logo ou son fuseau horaire. Consultez les informations actuelles :
account-unexpected = Si ce n’était pas vous, prévenez un administrateur de votre équipe et répondez à cet e-mail pour que nous puissions examiner la situation.
verify-subject = Faites vérifier votre entreprise pour continuer
verify-text = Merci, nous avons bien reçu la demande de l’entreprise { $shop }.
verify-text-nameless = Merci, nous avons bien reçu la demande de votre entreprise.
verify-next = L’étape suivante est la vérification de l’entreprise et des personnes qui la dirigent. Notre partenaire de vérification s’en charge sur sa propre page :
verify-open = Faire vérifier l’entreprise
verify-time = Cela prend quelques minutes. Munissez-vous d’une pièce d’identité et du justificatif d’immatriculation de l’entreprise. Dès que nous connaîtrons le résultat, il apparaîtra dans le portail.
verify-unexpected = Si vous n’avez pas fait de demande, ne suivez pas le lien, mais répondez à cet e-mail pour que nous puissions examiner la situation.
status-subject = Le statut de votre compte marchand a changé
status-active = { $shop } est actif.
status-active-means = Vos caisses peuvent vendre et encaisser des cartes cadeaux.
status-suspended = { $shop } est suspendu.
status-suspended-means = Jusqu’à nouvel ordre, les cartes cadeaux ne peuvent être ni vendues ni encaissées.
status-closed = { $shop } est fermé.
status-closed-means = Les cartes cadeaux ne peuvent plus être vendues ni encaissées.
status-declined = { $shop } a été refusé.
status-declined-means = Nous ne pouvons pas accepter la demande de votre entreprise.
status-waiting = { $shop } est en attente d’informations complémentaires.
status-waiting-means = Nous ne pouvons pas encore statuer sur votre demande. Complétez-la dans le portail et soumettez-la de nouveau.
status-draft = { $shop } est à l’état de brouillon.
status-draft-means = Complétez la demande dans le portail et soumettez-la.
status-review = { $shop } est en cours d’examen.
status-review-means = Nous vous informerons dès que nous aurons statué sur votre demande.
status-questions = Si vous avez des questions, répondez à cet e-mail.
image-subject = Une image de vos cartes cadeaux a été retirée
image-text = Nous avons retiré une image publiée par { $shop } : { $image }
image-means = Elle a été supprimée et n’est plus visible. Les cartes cadeaux qui l’affichent ont besoin d’une autre image.
image-unexpected = Si vous pensez qu’il s’agit d’une erreur, répondez à cet e-mail.

## News of the team, to its administrators

joined-subject = Quelqu’un a rejoint l’équipe chez { $shop }
joined = { $person } ({ $email }) a rejoint l’équipe chez { $shop } le { $day } à { $time } UTC.
joined-unexpected = Si aucun de vous n’a invité cette personne, retirez-la dans le tableau de bord.
left-subject = Quelqu’un a quitté l’équipe chez { $shop }
left = { $person } ({ $email }) a quitté l’équipe chez { $shop } le { $day } à { $time } UTC.
removed-subject = Quelqu’un a été retiré de l’équipe chez { $shop }
removed = Ce membre a été retiré de l’équipe chez { $shop } le { $day } à { $time } UTC : { $person } ({ $email }).
administrator-subject = Il y a un nouvel administrateur chez { $shop }
administrator = { $person } ({ $email }) a reçu les droits d’administrateur chez { $shop } le { $day } à { $time } UTC.
team-open = Voir l’équipe
team-unexpected = Si ce n’est pas normal, vérifiez l’équipe et son activité dans le tableau de bord.
till-subject = Une caisse a été associée chez { $shop }
till-text = La caisse { $till } du magasin { $store } a été associée le { $day } à { $time } UTC. Elle peut vendre et encaisser des cartes cadeaux chez { $shop }.
till-open = Voir toutes les caisses
till-unexpected = Si vous ne reconnaissez pas cette caisse, révoquez-la dans le tableau de bord : elle cessera immédiatement de fonctionner.

## News of keys, which let a program call the API

key-created-subject = Une clé API a été créée pour { $shop }
key-created = { $person } a créé la clé API { $key } chez { $shop } le { $day } à { $time } UTC.
key-rotated-subject = Une clé API a été renouvelée chez { $shop }
key-rotated = { $person } a remplacé le secret de la clé API { $key } chez { $shop } le { $day } à { $time } UTC.
key-reads = Avec cette clé, un programme peut lire ce que couvrent ces autorisations : { $permissions }. Elle expire le { $day } à { $time } UTC.
key-writes = Avec cette clé, un programme peut lire et modifier ce que couvrent ces autorisations : { $permissions }. Elle expire le { $day } à { $time } UTC.
key-unexpected = Si vous ne reconnaissez pas cette clé, révoquez-la dans le tableau de bord : elle cessera immédiatement de fonctionner.
key-ending-subject = Une clé API cessera bientôt de fonctionner chez { $shop }
key-ending = La clé API { $key } chez { $shop } cessera de fonctionner le { $day } à { $time } UTC : { $person }, qui l’a créée, a quitté l’équipe ou ne peut plus accorder ses autorisations.
key-expiring-subject = Une clé API expire bientôt chez { $shop }
key-expiring = La clé API { $key } chez { $shop } expire le { $day } à { $time } UTC.
key-rotate = Si elle est encore nécessaire, quelqu’un qui dispose de ces autorisations peut la renouveler d’ici là dans le tableau de bord et donner le nouveau secret au programme. Sinon, il n’y a rien à faire.
key-revoked-subject = Une clé API a été révoquée chez { $shop }
key-revoked = La plateforme a révoqué la clé API { $key } chez { $shop } le { $day } à { $time } UTC : il se peut que d’autres la connaissent. Les programmes qui l’utilisent encore sont rejetés.
key-replace = Créez une autre clé API dans le tableau de bord et cherchez où l’ancienne a été publiée.
key-open = Voir toutes les clés API

## News of webhooks

webhook-set-subject = Un point de terminaison de webhook a été défini pour { $shop }
webhook-set = { $person } a configuré { $host } le { $day } à { $time } UTC pour recevoir ces messages concernant { $shop }, et aucun autre : { $events }.
webhook-set-unexpected = Si vous ne reconnaissez pas cette adresse, ou s’il manque un message, demandez à votre développeur de modifier ou de supprimer le point de terminaison.
webhook-deleted-subject = Un point de terminaison de webhook a été supprimé pour { $shop }
webhook-deleted = { $person } a supprimé le point de terminaison { $host } le { $day } à { $time } UTC. Plus rien n’y est envoyé.
webhook-disabled-subject = Les messages concernant { $shop } ne sont plus distribués
webhook-gone = Depuis le { $day } à { $time } UTC, aucun message concernant { $shop } n’a été envoyé à { $host } : le point de terminaison a répondu qu’il ne voulait plus de messages.
webhook-failing = Depuis le { $day } à { $time } UTC, aucun message concernant { $shop } n’a été envoyé à { $host } : le point de terminaison n’a accepté aucun message pendant cinq jours.
webhook-enable = Les nouveaux messages sont conservés trois jours. Demandez à votre développeur d’activer le point de terminaison dès qu’il fonctionnera de nouveau.
webhook-open = Voir tous les points de terminaison
