# en.ftl says where these messages stand.

## In all mails

greeting = Hola, { $name }:
greeting-nobody = Hola:
open-portal = Abrir el portal
somebody = Un miembro del equipo
your-account = Su cuenta de empresa
unknown-program = programa desconocido

## A code to sign in

code-subject = Su código de inicio de sesión
code-text = Introduzca este código para iniciar sesión en { $host }:
code-details = Se solicitó a las { $from } UTC ({ $browser }) y puede usarse una sola vez, hasta las { $until } UTC.
code-secret = No comparta este código: no se lo lea a nadie ni lo introduzca en ningún otro sitio. Nosotros nunca se lo pedimos.
code-unexpected = Si no lo ha solicitado, puede ignorar este correo: nadie puede iniciar sesión sin el código.
codes-off-subject = Sus códigos de inicio de sesión están desactivados
codes-off-text = Se solicitó un código de inicio de sesión a las { $time } UTC ({ $browser }). Usted ha desactivado los códigos: inicie sesión con una llave de acceso.
codes-off-unexpected = Si no lo ha solicitado, puede ignorar este correo. Si ha perdido todas sus llaves de acceso, responda a este correo.

## An invitation, which its maker confirms

confirm-subject = Confirme su invitación
confirm-text = Está invitando a { $person } ({ $email }) a su equipo en { $host }, con este acceso:
confirm-enter = Introduzca este código para confirmar la invitación:
confirm-unexpected = Si no ha invitado a esta persona, puede que otra persona esté usando su sesión: no introduzca el código en ningún sitio, abra su cuenta en el panel y cierre todas sus sesiones.
invite-subject = Le han invitado a unirse a { $shop }
invite-text = { $person } le ha invitado a trabajar con { $shop } en el portal de empresas, con este acceso:
invite-sign-in = Inicie sesión con esta dirección ({ $email }) para aceptar:
invite-open = Abrir la invitación
invite-until = La invitación se puede aceptar hasta el { $day }.
invite-unexpected = Si no conoce a esta persona, puede ignorar este correo.

## What a member may do: a list

role-admin = Administrador: todo, incluido el equipo
role-full = Acceso completo: todo excepto el equipo
role-viewer = Lector: solo lectura
role-other = Miembro
may-nothing = Nada todavía
may-information = Ver y cambiar los datos de la empresa
may-organization = Gestionar las tiendas
may-team = Invitar a miembros, gestionar el equipo y las cajas
may-gift-cards = Gestionar las ofertas y consultar las tarjetas
may-analytics = Ver las estadísticas
may-reports = Ver las liquidaciones
may-orders = Ver los pedidos
may-pos = Vender y canjear en una caja

## How one signs in

device-subject = Ha iniciado sesión con un navegador nuevo
device-text = Se inició sesión en su cuenta con un navegador nuevo el { $day } a las { $time } UTC: { $browser }.
device-unexpected = Si no fue usted, alguien puede leer su correo. Desde el portal, cierre sesión en todas partes; proteja también su buzón y responda a este correo para que podamos investigarlo.
passkey-added-subject = Se ha añadido una llave de acceso
passkey-added = La llave de acceso { $name } se añadió a su cuenta el { $day } a las { $time } UTC. Ya se puede usar para iniciar sesión.
passkey-removed-subject = Se ha eliminado una llave de acceso
passkey-removed = La llave de acceso { $name } se eliminó de su cuenta el { $day } a las { $time } UTC, y su sesión se cerró en todas partes.
passkey-removed-codes-on = Puede volver a iniciar sesión con códigos enviados por correo, porque de otro modo la pérdida de un solo dispositivo podría dejarle sin acceso.
passkey-refused-subject = Se ha rechazado una llave de acceso
passkey-refused = Un inicio de sesión con la llave de acceso { $name } se rechazó el { $day } a las { $time } UTC, porque puede que exista una copia de ella.
passkey-refused-advice = Elimine la llave de acceso en el portal, a menos que tenga conocimiento de la copia.
codes-turned-off-subject = Los códigos de inicio de sesión están desactivados
codes-turned-off = Los códigos enviados por correo se desactivaron en su cuenta el { $day } a las { $time } UTC: solo puede iniciar sesión con sus llaves de acceso.
codes-turned-on-subject = Los códigos de inicio de sesión están activados
codes-turned-on = Los códigos enviados por correo se volvieron a activar en su cuenta el { $day } a las { $time } UTC.
codes-turned-on-by-platform = La plataforma volvió a activar los códigos enviados por correo en su cuenta el { $day } a las { $time } UTC, porque alguien nos ha comunicado que usted ha perdido sus llaves de acceso.
sign-in-unexpected = Si no fue usted, otra persona puede usar su cuenta. Desde el portal, cierre sesión en todas partes; proteja también su buzón y responda a este correo para que podamos investigarlo.

## The merchant's account

account-subject = Se han cambiado los datos de su empresa
account-text = Los datos de { $shop } se cambiaron el { $day } a las { $time } UTC, desde su cuenta o con una clave de API que usted creó.
account-text-nameless = Los datos de su cuenta de empresa se cambiaron el { $day } a las { $time } UTC, desde su cuenta o con una clave de API que usted creó.
account-what = El cambio puede afectar a los nombres o números de la empresa, a su sitio web, a su logotipo o a su zona horaria. Vea los datos actuales:
account-unexpected = Si no fue usted, avise a un administrador de su equipo y responda a este correo para que podamos investigarlo.
verify-subject = Verifique su empresa para continuar
verify-text = Gracias, hemos recibido la solicitud de { $shop }.
verify-text-nameless = Gracias, hemos recibido la solicitud de su empresa.
verify-next = El siguiente paso es verificar la empresa y a las personas que la dirigen. Nuestro socio de verificación lo hace en su propia página:
verify-open = Verificar la empresa
verify-time = Se tarda unos minutos. Tenga a mano un documento de identidad y el documento de registro de la empresa. En cuanto sepamos el resultado, aparecerá en el portal.
verify-unexpected = Si no ha presentado ninguna solicitud, no siga el enlace; responda a este correo para que podamos investigarlo.
status-subject = El estado de su cuenta de empresa ha cambiado
status-active = { $shop } está activa.
status-active-means = Sus cajas pueden vender y canjear tarjetas regalo.
status-suspended = { $shop } está suspendida.
status-suspended-means = Hasta nuevo aviso, las tarjetas regalo no se pueden vender ni canjear.
status-closed = { $shop } está cerrada.
status-closed-means = Las tarjetas regalo ya no se pueden vender ni canjear.
status-declined = { $shop } ha sido rechazada.
status-declined-means = No podemos aceptar la solicitud de su empresa.
status-waiting = { $shop } está a la espera de más información.
status-waiting-means = Todavía no podemos decidir sobre su solicitud. Complétela en el portal y envíela de nuevo.
status-draft = { $shop } es un borrador.
status-draft-means = Complete la solicitud en el portal y envíela.
status-review = { $shop } está en revisión.
status-review-means = Le avisaremos en cuanto hayamos decidido sobre su solicitud.
status-questions = Si tiene preguntas, responda a este correo.
image-subject = Se ha retirado una imagen de sus tarjetas regalo
image-text = Hemos retirado una imagen que { $shop } había publicado: { $image }
image-means = Se ha eliminado y ya no se puede ver. Las tarjetas regalo que la muestran necesitan otra imagen.
image-unexpected = Si cree que se trata de un error, responda a este correo.

## News of the team, to its administrators

joined-subject = Alguien se ha unido al equipo de { $shop }
joined = { $person } ({ $email }) se unió al equipo de { $shop } el { $day } a las { $time } UTC.
joined-unexpected = Si ninguno de ustedes ha invitado a esta persona, elimínela en el panel.
left-subject = Alguien ha dejado el equipo de { $shop }
left = { $person } ({ $email }) dejó el equipo de { $shop } el { $day } a las { $time } UTC.
removed-subject = Se ha eliminado a alguien del equipo de { $shop }
removed = Se eliminó a { $person } ({ $email }) del equipo de { $shop } el { $day } a las { $time } UTC.
administrator-subject = Hay un nuevo administrador en { $shop }
administrator = { $person } ({ $email }) pasó a tener permisos de administrador en { $shop } el { $day } a las { $time } UTC.
team-open = Ver el equipo
team-unexpected = Si esto no es como debería, revise el equipo y su actividad en el panel.
till-subject = Se ha vinculado una caja con { $shop }
till-text = La caja { $till } de la tienda { $store } se vinculó el { $day } a las { $time } UTC. Puede vender y canjear tarjetas regalo de { $shop }.
till-open = Ver todas las cajas
till-unexpected = Si no reconoce esta caja, revóquela en el panel: dejará de funcionar de inmediato.

## News of keys, which let a program call the API

key-created-subject = Se ha creado una clave de API para { $shop }
key-created = { $person } creó la clave de API { $key } de { $shop } el { $day } a las { $time } UTC.
key-rotated-subject = Se ha renovado una clave de API de { $shop }
key-rotated = { $person } sustituyó el secreto de la clave de API { $key } de { $shop } el { $day } a las { $time } UTC.
key-reads = Con ella, un programa puede leer lo que abarcan estos permisos: { $permissions }. La clave caduca el { $day } a las { $time } UTC.
key-writes = Con ella, un programa puede leer y cambiar lo que abarcan estos permisos: { $permissions }. La clave caduca el { $day } a las { $time } UTC.
key-unexpected = Si no reconoce esta clave, revóquela en el panel: dejará de funcionar de inmediato.
key-ending-subject = Una clave de API de { $shop } dejará pronto de funcionar
key-ending = La clave de API { $key } de { $shop } dejará de funcionar el { $day } a las { $time } UTC: { $person }, que la creó, ha dejado el equipo o ya no puede conceder sus permisos.
key-expiring-subject = Una clave de API de { $shop } caduca pronto
key-expiring = La clave de API { $key } de { $shop } caduca el { $day } a las { $time } UTC.
key-rotate = Si todavía se necesita, alguien que tenga estos permisos puede renovarla antes en el panel y dar el nuevo secreto al programa. De lo contrario, no hay que hacer nada.
key-revoked-subject = Se ha revocado una clave de API de { $shop }
key-revoked = La plataforma revocó la clave de API { $key } de { $shop } el { $day } a las { $time } UTC: puede que otros la conozcan. Los programas que todavía la usan son rechazados.
key-replace = Cree otra clave de API en el panel y averigüe dónde se publicó la antigua.
key-open = Ver todas las claves de API

## News of webhooks

webhook-set-subject = Se ha configurado un punto de conexión de webhook para { $shop }
webhook-set = { $person } configuró { $host } el { $day } a las { $time } UTC para recibir estos mensajes de { $shop }, y ningún otro: { $events }.
webhook-set-unexpected = Si no reconoce esta dirección, o si falta algún mensaje, pida a su desarrollador que cambie o elimine el punto de conexión.
webhook-deleted-subject = Se ha eliminado un punto de conexión de webhook de { $shop }
webhook-deleted = { $person } eliminó el punto de conexión { $host } el { $day } a las { $time } UTC. Ya no se envía nada allí.
webhook-disabled-subject = Los mensajes de { $shop } ya no se entregan
webhook-gone = Desde el { $day } a las { $time } UTC no se ha enviado nada de { $shop } a { $host }: el punto de conexión ha respondido que no quiere más mensajes.
webhook-failing = Desde el { $day } a las { $time } UTC no se ha enviado nada de { $shop } a { $host }: el punto de conexión no ha aceptado ningún mensaje durante cinco días.
webhook-enable = Los mensajes nuevos se guardan durante tres días. Pida a su desarrollador que active el punto de conexión en cuanto vuelva a funcionar.
webhook-open = Ver todos los puntos de conexión
