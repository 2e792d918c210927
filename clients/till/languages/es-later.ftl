# What the till says after its first screen. It is loaded right after the first paint.

## Frame

close = Cerrar
again = Reintentar
next-customer = Siguiente cliente
not-known = No se sabe

late-redeem-done = La respuesta tardó, pero se realizó: { $amount }, { $card }
late-redeem-failed = No se descontó nada de la tarjeta: { $amount }, { $card }
late-issue-done = La respuesta tardó, pero la tarjeta se emitió: { $amount }
late-issue-failed = No se emitió ninguna tarjeta: { $amount }
no-journal = Este navegador no guarda nada para la caja, así que no se puede mover dinero. Salga de la ventana privada o permita el almacenamiento para esta página y vuelva a cargarla.
not-revoked = No se pudo contactar con el portal, así que este dispositivo aún tiene acceso. Terminará en cuanto se pueda contactar con el portal desde aquí. Para terminarlo ahora, revoque la caja en el panel, en «Stores and tills».
moving-redeem = Descontando { $amount } de la tarjeta
moving-issue = Emitiendo una tarjeta regalo de { $amount }
moving-slow-redeem = La red de tarjetas va lenta. El importe se descuenta como mucho una vez.
moving-slow-issue = La red de tarjetas va lenta. Se emite como mucho una tarjeta.

## Menu

menu-open-calls = Aún no se sabe el resultado de una operación. Al desvincular la caja se olvidaría: espere a que se sepa.
menu-unpairing = Al desvincularla, la caja cierra la sesión y olvida la lista de hoy. Después necesita un código nuevo del panel.
menu-signals = Sonido y vibración cuando una operación se realiza o se rechaza
menu-unpair = Desvincular { $till }
menu-language = Idioma
menu-language-browser = { $language } (como el navegador)
menu-customer-language = Idioma de tarjetas impresas y recibos
menu-customer-language-till = { $language } (como la caja)

## Pairing

pairing-title = Vincular esta caja
pairing-title-again = Vincular { $till } de nuevo
pairing-lead = En el panel, abra «Stores and tills», añada una caja e introduzca aquí su código.
pairing-lead-again = Se cerró la sesión de la caja. Lo que ha introducido seguirá aquí cuando vuelva a vincularla.
pairing-code = Código de vinculación
pairing-hint = { $count } caracteres. Sirve una vez, durante 10 minutos.
pairing-too-short = Introduzca los { $count } caracteres del código.
pairing-button = Vincular caja
pairing-busy = Vinculando
pairing-failed-connection = Sin conexión. Inténtelo de nuevo.
pairing-failed-code = Ese código es incorrecto o ha caducado.
pairing-failed-attempts = Demasiados intentos.
pairing-failed = No se pudo vincular la caja. Inténtelo de nuevo.

## Entering an amount

keypad-label = Importe
keypad-erase = Borrar cifra
enter-amount = Introduzca el importe
note-as-fast-as-scanner = Se introdujo tan rápido como con un lector. Compruébelo y pulse el botón.
note-press-again = Compruébelo y pulse Intro otra vez.
note-no-decimals = { $currency } no tiene decimales. Se ignoró el separador.
note-separator = Se ignoró el separador.
note-too-many-decimals = { $currency } tiene { $decimals } decimales. Se ignoró el { $key }.
note-second-separator = Se ignoró un segundo separador.

## When to try again

retry-now = Inténtelo de nuevo ahora.
retry-seconds = Inténtelo de nuevo en { $seconds } s.
retry-minutes = Inténtelo de nuevo en { $minutes } min.

## Cards

card-gift-card = Tarjeta regalo
card-valid-to = Válida hasta el { $date }
card-expired-on = Caducó el { $date }
card-balance = Saldo
card-on-it-now = Ahora en la tarjeta

## Why something failed

refused-card-not-found = Esa tarjeta no existe. Escanéela de nuevo.
refused-card-blocked = La tarjeta está bloqueada.
refused-card-expired = La tarjeta ha caducado.
refused-insufficient-funds = En la tarjeta hay menos que esto.
refused-invalid-amount = La red de tarjetas no acepta este importe.
refused-offer-not-found = Esta tarjeta ya no se vende.
refused-offer-not-available = Esta tarjeta no se vende ahora.
refused-rate-limited = La red de tarjetas está saturada.
refused-merchant-not-active = La empresa no está activa, así que no se pueden vender ni canjear tarjetas regalo.
refused-forbidden = Esta caja no puede hacerlo. Pregunte al administrador.
refused-invalid-request = La red de tarjetas no acepta esto.
refused-offer-unreadable = Esta tarjeta no se puede vender hasta que se corrija en el panel.
refused-refund-too-large = Es más de lo que queda de este canje. Una parte ya se ha devuelto.
refused-no-such-redemption = No hay tal canje que devolver.
refused-too-many-requests = Demasiadas solicitudes.
refused-not-paired = Esta caja ya no está vinculada.
refused-unreachable = No se pudo contactar con la red de tarjetas. Inténtelo de nuevo.
refused-by-network = La red de tarjetas lo rechazó.

not-sent-offline = La caja no tiene conexión. No se envió nada.
not-sent-journal = Este dispositivo no pudo guardar la operación, así que no se envió. Libere espacio de almacenamiento e inténtelo de nuevo.
not-sent-busy = Aún no se sabe el resultado de una operación anterior, así que no se envió nada. Véase Hoy.

look-up-no-connection = Sin conexión. No se pudo consultar la tarjeta. Inténtelo de nuevo.
look-up-slow = La red de tarjetas va lenta y no ha respondido. No se cambió nada. Inténtelo de nuevo.
look-up-in-use = La tarjeta se está usando en otro lugar.
look-up-failed = No se pudo consultar la tarjeta. No se cambió nada. Inténtelo de nuevo.
other-nothing = Este no es el código de una tarjeta regalo.
other-link = Este es un enlace que no lleva a ninguna tarjeta de esta empresa.
other-product = Este es el código de un producto, no de una tarjeta regalo.

## Redeem

redeem-card-title = Tarjeta terminada en { $card }
redeem-expired = Esta tarjeta ha caducado. No se puede descontar nada de ella.
redeem-empty = Esta tarjeta está vacía.
redeem-blocked = Esta tarjeta está bloqueada. No se puede descontar nada de ella.
redeem-unknown = Aún no se sabe el resultado de un canje anterior. No vuelva a canjear esta tarjeta hasta entonces: véase Hoy.
redeem-whole-card = Usar toda la tarjeta
redeem-total = Total de la compra
redeem-from-card = De la tarjeta
redeem-left-to-pay = Queda por pagar
redeem-enter-total = Introduzca el total
redeem-button = Canjear { $amount }

## What was done with a card

history-button = Historial
history-title = Tarjeta { $card }
history-loading = Cargando el historial
history-issued = Emitida
history-redeemed = Canjeado
history-given-back = Devuelto
history-unknown = Aún no se sabe
history-changed = Cambiada
history-differs = Esto no cuadra con el saldo de la tarjeta. Pida al administrador que lo revise.
history-balance = Ahora en la tarjeta: { $amount }
history-empty-title = Nada todavía
history-empty = Aquí aparece lo que sus cajas y su tienda hacen con esta tarjeta.
history-earlier = Mostrar anteriores
history-refunded = { $amount } devuelto
history-none = Esta tarjeta no tiene historial aquí.
history-failed = No se pudo cargar el historial. No se cambió nada.

## Camera and scanner

camera-label = Cámara
camera-title = Muestre el código a la cámara
camera-hint = Manténgalo quieto, a un palmo.
camera-failed = No se puede usar la cámara. Permítala para esta página o escriba el código.
camera-type = Escribir el código
scan-scanned = Escaneado: { $code }
scan-unreadable = Escaneado: un código ilegible
scan-unchanged = La pantalla no ha cambiado.
scan-looking = Buscando la tarjeta.
scan-another-card = ¿Otra tarjeta? La pantalla no ha cambiado.
scan-find = Buscar tarjeta
scan-was-amount = Era un importe

## Sell

sell-title = Vender una tarjeta regalo
sell-loading = Cargando las tarjetas regalo
sell-failed = No se pudieron cargar las tarjetas regalo. No se cambió nada.
sell-empty-title = No hay tarjetas regalo a la venta
sell-empty = Aquí aparecen las ofertas disponibles en el panel.
sell-credit-title = Dar un vale
sell-credit = Por artículos devueltos. No se paga nada por él. Un canje se devuelve desde Hoy.
sell-credit-free = Por un vale no se paga nada.
sell-pay-first = Cobre primero y después emita la tarjeta.
sell-credit-for-customer = Vale para el cliente
sell-to-be-paid = Por pagar por el cliente
sell-amounts = Importes
sell-give-button = Dar { $amount }
sell-issue-button = Pagado, emitir { $amount }
price-range = De { $min } a { $max }
price-from = { $min } o más
price-up-to = Hasta { $max }
price-any = Cualquier importe
enter-any = Introduzca un importe.
enter-range = Introduzca de { $min } a { $max }.
enter-from = Introduzca { $min } o más.
enter-exactly = Introduzca { $amount }.
enter-at-most = Introduzca como mucho { $amount }.

## How the customer gets the card

delivery-label = Entrega
delivery-on-this-screen = En esta pantalla
delivery-change = Cambiar
delivery-title = ¿Cómo la recibe el cliente?
delivery-screen = En pantalla
delivery-email = Correo
delivery-sms = SMS
delivery-show = Mostrarla aquí
delivery-send = Enviarla allí
delivery-screen-hint = El código se muestra en esta pantalla. Se puede fotografiar, escanear o imprimir.
delivery-email-label = Correo electrónico
delivery-email-hint = El código también se muestra aquí.
delivery-email-wrong = Introduzca una dirección como { $example }.
delivery-sms-label = Número de móvil
delivery-sms-hint = Con el prefijo del país, como { $example }.
delivery-sms-wrong = Introduzca un número de móvil con el prefijo del país.

## A card that was sold

sold-sent = La red de tarjetas la envía a { $address }, una sola vez.
sold-wrong-address = ¿Dirección equivocada?
sold-wrong-address-help = No se puede enviar de nuevo. Muestre el código aquí o imprímalo: es la misma tarjeta.
sold-no-code = La red de tarjetas no dio ningún código que mostrar. Busque el pedido en el panel.
sold-let-scan = Deje que el cliente lo fotografíe o lo escanee.
sold-full-screen = Pantalla completa
sold-print = Imprimir
sold-code = Código de la tarjeta regalo

## Give back

give-back = Devolver
give-back-no-credit = Esta empresa no tiene vales que dar. Añada uno a las ofertas en el panel.
give-back-all = Ya se ha devuelto todo.
give-back-loading = Buscando lo que se puede devolver
give-back-redeemed = Canjeado de { $card }
give-back-already = Ya devuelto
give-back-at-most = Como mucho { $amount }.
give-back-continue = Continuar
give-back-why = ¿Por qué se devuelve?
give-back-explained = Una tarjeta nueva con un vale de { $amount }, por lo que se canjeó de { $card }.
give-back-reason = Motivo
give-back-returned = Artículo devuelto
give-back-wrong-amount = Importe erróneo
give-back-other = Otro
give-back-reason-missing = Introduzca el motivo.
give-back-choose = Elija un motivo.
give-back-button = Devolver { $amount }

## What became of a call

outcome-refused = Rechazado
outcome-closed = No realizado
outcome-not-sent = No enviado
outcome-by-hand = Comprobado a mano
outcome-unknown = Aún no se sabe
outcome-redeemed = { $amount } canjeado
outcome-sold = Tarjeta regalo de { $amount } vendida
outcome-credit-given = Vale de { $amount } entregado
outcome-nothing-taken = No se descontó nada de la tarjeta.
outcome-none-issued = No se emitió ninguna tarjeta.
outcome-stopped = Se detuvo y nunca se realizará.
outcome-connect = La caja está sin conexión. Conéctela e inténtelo de nuevo.
outcome-found-by-hand = El resultado se averiguó en la caja:
outcome-late = La respuesta tardó, pero se realizó.
outcome-amount = Importe
outcome-card = Tarjeta
outcome-gift-card = Tarjeta regalo
outcome-looking = Buscando
outcome-still-to-pay = Falta por pagar
outcome-left = Queda en la tarjeta
outcome-back-to-today = Volver a Hoy
outcome-back-to-amount = Volver al importe
outcome-pay-rest = Otra tarjeta para { $amount }

unknown-redeem = No se sabe si se descontó { $amount } de la tarjeta { $card } o no.
unknown-issue = No se sabe si se emitió una tarjeta regalo de { $amount } o no.
unknown-no-response = Aún no hay respuesta.
unknown-no-connection = La caja no tiene conexión.
unknown-do-not-redeem = No la canjee de nuevo.
unknown-do-not-sell = No la venda de nuevo.
unknown-wait = Pida al cliente que espere. Esta página lo averigua y se lo dice.
unknown-final = El portal no puede decir el resultado. Compare el saldo de la tarjeta y los pedidos en el panel.
unknown-other-merchant = Se inició para { $merchant } y no se puede consultar desde aquí.
unknown-some-merchant = Se inició para una empresa desconocida y no se puede consultar desde aquí.
unknown-cannot-wait = Si el cliente no puede esperar
unknown-leave-redeem = Atienda al siguiente cliente y cobre { $total } de otra forma: lo que no se haya descontado de la tarjeta para entonces no se descontará nunca. Si se descontó, esta caja lo muestra en Hoy.
unknown-leave-issue = Atienda al siguiente cliente: lo que no se haya emitido para entonces no se emitirá nunca. Si la tarjeta se emitió, el código está en Hoy y se puede enviar.
unknown-sent = Enviado
unknown-no-answer = Sin respuesta
unknown-asked =
    { $count ->
        [0] Aún sin preguntar
        [1] Preguntado una vez, aún sin respuesta
        [2] Preguntado dos veces, aún sin respuesta
       *[other] Preguntado { $count } veces, aún sin respuesta
    }
unknown-asks-in = pregunta en { $seconds } s
unknown-asks-again-in = otra vez en { $seconds } s
unknown-asking = preguntando
unknown-ask-now = Preguntar ahora
unknown-next-customer = Atender al siguiente cliente
by-hand = Lo he comprobado
by-hand-found = ¿Qué ha averiguado?
by-hand-hint = Por ejemplo: el saldo es 150,50, así que se descontó.
by-hand-missing = Describa en una frase lo que ha averiguado.

## Today

today-title = Hoy
today-empty-title = Nada todavía
today-empty = Aquí aparecen las tarjetas que esta caja vende y canjea.
today-redeemed = Canjeado
today-sold = Vendido
today-done = Realizado
today-redeem-row = Canje { $card }
today-sell-row = Venta { $offer }
today-give-row = Vale { $offer }
today-earlier-version = Versión anterior

## Receipt, for the till

receipt-print = Imprimir recibo
receipt-no-paper = ¿Sin papel? Deje que el cliente escanee
receipt-page = La página pide el código de la tarjeta y muestra su saldo.

## Ticket, receipt and codes: for the customer

qr-gift-card = Código QR de la tarjeta regalo
qr-balance-page = Código QR de la página que muestra lo que queda en una tarjeta
paper-label = Para imprimir
ticket-valid-to = Válida hasta el { $date }
ticket-advice = Muestre este código para pagar con él. Guárdelo como dinero en efectivo: quien tenga el código puede usarlo.
paper-balance = Saldo de una tarjeta:
receipt-title = Pagado con tarjeta regalo
receipt-total = Total de la compra
receipt-card = Tarjeta
receipt-left = Queda en la tarjeta
receipt-reference = Referencia
