# What the till says after its first screen. It is loaded right after the first paint.

## Frame

close = 閉じる
again = 再試行
next-customer = 次のお客様
not-known = 不明

late-redeem-done = 応答が遅れましたが、完了しました：{ $amount }、{ $card }
late-redeem-failed = カードからは引き落とされていません：{ $amount }、{ $card }
late-issue-done = 応答が遅れましたが、カードは発行されました：{ $amount }
late-issue-failed = カードは発行されていません：{ $amount }
no-journal = このブラウザーはレジのデータを保存しないため、お金を動かせません。プライベートウィンドウを閉じるか、このページの保存を許可して、再読み込みしてください。
not-revoked = ポータルに接続できなかったため、この端末はまだアクセスできます。ここからポータルに接続でき次第、アクセスは終了します。今すぐ終了するには、ダッシュボードの「Stores and tills」でレジを取り消してください。
moving-redeem = カードから{ $amount }を引き落としています
moving-issue = { $amount }のギフトカードを発行しています
moving-slow-redeem = カードネットワークの応答が遅れています。引き落としは最大1回です。
moving-slow-issue = カードネットワークの応答が遅れています。発行されるカードは最大1枚です。

## Menu

menu-open-calls = 結果がまだ分からない取引があります。連携を解除すると失われます。結果が分かるまでお待ちください。
menu-unpairing = 連携を解除すると、レジはログアウトし、本日の一覧が消去されます。再び使うには、ダッシュボードの新しいコードが必要です。
menu-signals = 完了または拒否のときに音と振動で知らせる
menu-unpair = { $till }の連携を解除
menu-language = 言語
menu-language-browser = { $language }（ブラウザーと同じ）
menu-customer-language = 印刷カードとレシートの言語
menu-customer-language-till = { $language }（レジと同じ）

## Pairing

pairing-title = このレジを連携する
pairing-title-again = { $till }を再び連携する
pairing-lead = ダッシュボードで「Stores and tills」を開き、レジを追加して、そのコードをここに入力してください。
pairing-lead-again = レジはログアウトしました。入力した内容は、再び連携した後も残っています。
pairing-code = 連携コード
pairing-hint = { $count }文字。1回限り、10分間有効です。
pairing-too-short = コードの{ $count }文字をすべて入力してください。
pairing-button = レジを連携
pairing-busy = 連携中
pairing-failed-connection = 接続がありません。もう一度お試しください。
pairing-failed-code = コードが間違っているか、期限切れです。
pairing-failed-attempts = 試行回数が多すぎます。
pairing-failed = レジを連携できませんでした。もう一度お試しください。

## Entering an amount

keypad-label = 金額
keypad-erase = 1文字削除
enter-amount = 金額を入力してください
note-as-fast-as-scanner = スキャナーと同じ速さで入力されました。確認してからボタンを押してください。
note-press-again = 確認してから、もう一度Enterを押してください。
note-no-decimals = { $currency }には小数がありません。区切り記号は無視されました。
note-separator = 区切り記号は無視されました。
note-too-many-decimals = { $currency }の小数は{ $decimals }桁です。{ $key }は無視されました。
note-second-separator = 2つ目の区切り記号は無視されました。

## When to try again

retry-now = 今すぐお試しください。
retry-seconds = { $seconds }秒後にお試しください。
retry-minutes = { $minutes }分後にお試しください。

## Cards

card-gift-card = ギフトカード
card-valid-to = { $date }まで有効
card-expired-on = { $date }に期限切れ
card-balance = 残高
card-on-it-now = 現在のカード残高

## Why something failed

refused-card-not-found = 該当するカードがありません。もう一度スキャンしてください。
refused-card-blocked = カードは停止されています。
refused-card-expired = カードは期限切れです。
refused-insufficient-funds = カードの残高がこの金額より少なくなっています。
refused-invalid-amount = カードネットワークがこの金額を受け付けません。
refused-offer-not-found = このカードの販売は終了しました。
refused-offer-not-available = このカードは現在販売していません。
refused-rate-limited = カードネットワークが混み合っています。
refused-merchant-not-active = 事業者が有効でないため、ギフトカードの販売も利用もできません。
refused-forbidden = このレジではできません。管理者にお問い合わせください。
refused-invalid-request = カードネットワークがこれを受け付けません。
refused-offer-unreadable = このカードは、ダッシュボードで修正されるまで販売できません。
refused-refund-too-large = この利用の残りを超えています。一部はすでに返却されています。
refused-no-such-redemption = 返却の対象となる利用がありません。
refused-too-many-requests = リクエストが多すぎます。
refused-not-paired = このレジの連携は解除されています。
refused-unreachable = カードネットワークに接続できませんでした。もう一度お試しください。
refused-by-network = カードネットワークに拒否されました。

not-sent-offline = レジの接続がありません。何も送信されていません。
not-sent-journal = この端末に取引を保存できなかったため、送信されていません。空き容量を増やしてから、もう一度お試しください。
not-sent-busy = 前の取引の結果がまだ分からないため、何も送信されていません。「本日」をご覧ください。

look-up-no-connection = 接続がありません。カードを照会できませんでした。もう一度お試しください。
look-up-slow = カードネットワークの応答が遅く、まだ返答がありません。何も変更されていません。もう一度お試しください。
look-up-in-use = カードは別の場所で使用中です。
look-up-failed = カードを照会できませんでした。何も変更されていません。もう一度お試しください。
other-nothing = これはギフトカードのコードではありません。
other-link = これはリンクですが、この事業者のカードにはつながりません。
other-product = これは商品のコードで、ギフトカードのコードではありません。

## Redeem

redeem-card-title = 末尾{ $card }のカード
redeem-expired = このカードは期限切れです。引き落としはできません。
redeem-empty = このカードの残高はありません。
redeem-blocked = このカードは停止されています。引き落としはできません。
redeem-unknown = 前の利用の結果がまだ分かりません。分かるまで、このカードを再び利用しないでください。「本日」をご覧ください。
redeem-whole-card = カードの全額を使う
redeem-total = お買い上げ合計
redeem-from-card = カードから
redeem-left-to-pay = お支払い残額
redeem-enter-total = 合計を入力してください
redeem-button = { $amount }を利用

## What was done with a card

history-button = 履歴
history-title = カード { $card }
history-loading = 履歴を読み込んでいます
history-issued = 発行
history-redeemed = 利用
history-given-back = 返却
history-unknown = 結果未確認
history-changed = 変更
history-differs = カードの残高と一致しません。管理者に調査を依頼してください。
history-balance = 現在のカード残高：{ $amount }
history-empty-title = まだありません
history-empty = レジとショップでのこのカードの取引が、ここに表示されます。
history-earlier = 以前の履歴を表示
history-refunded = { $amount }返却済み
history-none = このカードの履歴はここにはありません。
history-failed = 履歴を読み込めませんでした。何も変更されていません。

## Camera and scanner

camera-label = カメラ
camera-title = コードをカメラに向けてください
camera-hint = 手のひらの幅ほど離して、動かさないでください。
camera-failed = カメラを使用できません。このページで許可するか、コードを入力してください。
camera-type = コードを入力する
scan-scanned = スキャン：{ $code }
scan-unreadable = スキャン：読み取れないコード
scan-unchanged = 画面の内容は変わっていません。
scan-looking = 照会しています。
scan-another-card = 別のカードですか？画面の内容は変わっていません。
scan-find = 照会する
scan-was-amount = 金額として入力

## Sell

sell-title = ギフトカードを販売する
sell-loading = ギフトカードを読み込んでいます
sell-failed = ギフトカードを読み込めませんでした。何も変更されていません。
sell-empty-title = 販売中のギフトカードはありません
sell-empty = ダッシュボードで販売中のものが、ここに表示されます。
sell-credit-title = ストアクレジットを渡す
sell-credit = 返品用です。お客様の支払いはありません。利用の返却は「本日」から行います。
sell-credit-free = ストアクレジットにお支払いは不要です。
sell-pay-first = 先にお支払いを受け取り、それからカードを発行してください。
sell-credit-for-customer = お客様へのストアクレジット
sell-to-be-paid = お客様のお支払い額
sell-amounts = 金額
sell-give-button = { $amount }を渡す
sell-issue-button = 支払い済み、{ $amount }を発行
price-range = { $min }～{ $max }
price-from = { $min }以上
price-up-to = { $max }まで
price-any = 任意の金額
enter-any = 金額を入力してください。
enter-range = { $min }から{ $max }の間で入力してください。
enter-from = { $min }以上を入力してください。
enter-exactly = { $amount }を入力してください。
enter-at-most = { $amount }以下を入力してください。

## How the customer gets the card

delivery-label = 受け渡し
delivery-on-this-screen = この画面
delivery-change = 変更
delivery-title = お客様への受け渡し方法
delivery-screen = 画面
delivery-email = メール
delivery-sms = SMS
delivery-show = ここに表示する
delivery-send = 送信する
delivery-screen-hint = コードがこの画面に表示されます。撮影、スキャン、印刷ができます。
delivery-email-label = メールアドレス
delivery-email-hint = コードはここにも表示されます。
delivery-email-wrong = { $example }のようなアドレスを入力してください。
delivery-sms-label = 携帯電話番号
delivery-sms-hint = 国番号を付けてください。例：{ $example }
delivery-sms-wrong = 国番号を付けて携帯電話番号を入力してください。

## A card that was sold

sold-sent = カードネットワークが{ $address }へ1回送信します。
sold-wrong-address = 宛先が違いますか？
sold-wrong-address-help = 再送信はできません。ここでコードを見せるか、印刷してください。同じカードです。
sold-no-code = カードネットワークから表示用のコードが届きませんでした。ダッシュボードで注文を確認してください。
sold-let-scan = お客様に撮影またはスキャンしていただいてください。
sold-full-screen = 全画面
sold-print = 印刷
sold-code = ギフトカードのコード

## Give back

give-back = 返却
give-back-no-credit = この事業者にはストアクレジットがありません。ダッシュボードのオファーに追加してください。
give-back-all = すべて返却済みです。
give-back-loading = 返却できる金額を照会しています
give-back-redeemed = { $card }での利用
give-back-already = 返却済み
give-back-at-most = { $amount }まで。
give-back-continue = 次へ
give-back-why = 返却の理由
give-back-explained = { $card }での利用分として、{ $amount }のストアクレジットの新しいカードを発行します。
give-back-reason = 理由
give-back-returned = 返品
give-back-wrong-amount = 金額の誤り
give-back-other = その他
give-back-reason-missing = 理由を入力してください。
give-back-choose = 理由を選んでください。
give-back-button = { $amount }を返却

## What became of a call

outcome-refused = 拒否
outcome-closed = 未実行
outcome-not-sent = 未送信
outcome-by-hand = 手動で確認済み
outcome-unknown = 結果未確認
outcome-redeemed = { $amount }を利用しました
outcome-sold = { $amount }のギフトカードを販売しました
outcome-credit-given = { $amount }のストアクレジットを渡しました
outcome-nothing-taken = カードからは引き落とされていません。
outcome-none-issued = カードは発行されていません。
outcome-stopped = 取引は停止され、今後実行されることはありません。
outcome-connect = レジはオフラインです。接続してから、もう一度お試しください。
outcome-found-by-hand = 結果はレジで確認されました：
outcome-late = 応答が遅れましたが、完了しました。
outcome-amount = 金額
outcome-card = カード
outcome-gift-card = ギフトカード
outcome-looking = 照会中
outcome-still-to-pay = お支払い残額
outcome-left = カード残高
outcome-back-to-today = 「本日」に戻る
outcome-back-to-amount = 金額に戻る
outcome-pay-rest = 別のカードで{ $amount }

unknown-redeem = カード{ $card }から{ $amount }が引き落とされたかどうか、まだ分かりません。
unknown-issue = { $amount }のギフトカードが発行されたかどうか、まだ分かりません。
unknown-no-response = まだ応答がありません。
unknown-no-connection = レジの接続がありません。
unknown-do-not-redeem = 再び利用しないでください。
unknown-do-not-sell = 再び販売しないでください。
unknown-wait = お客様にお待ちいただいてください。このページが確認してお知らせします。
unknown-final = ポータルでは結果が分かりません。ダッシュボードでカードの残高と注文を照合してください。
unknown-other-merchant = { $merchant }のために開始された取引で、ここからは照会できません。
unknown-some-merchant = 不明な事業者のために開始された取引で、ここからは照会できません。
unknown-cannot-wait = お客様がお待ちになれない場合
unknown-leave-redeem = 次のお客様に対応し、{ $total }は別の方法で受け取ってください。その時点でカードから引き落とされていないものは、今後引き落とされることはありません。引き落とされていた場合は、このレジの「本日」に表示されます。
unknown-leave-issue = 次のお客様に対応してください。その時点で発行されていないものは、今後発行されることはありません。発行されていた場合は、コードが「本日」にあり、送信できます。
unknown-sent = 送信済み
unknown-no-answer = 応答なし
unknown-asked =
    { $count ->
        [0] まだ問い合わせていません
        [1] 1回問い合わせ、まだ応答なし
        [2] 2回問い合わせ、まだ応答なし
       *[other] { $count }回問い合わせ、まだ応答なし
    }
unknown-asks-in = { $seconds }秒後に問い合わせ
unknown-asks-again-in = { $seconds }秒後に再度
unknown-asking = 問い合わせ中
unknown-ask-now = 今すぐ問い合わせる
unknown-next-customer = 次のお客様に対応する
by-hand = 確認しました
by-hand-found = 何が分かりましたか？
by-hand-hint = 例：残高が150.50なので、引き落とされていました。
by-hand-missing = 分かったことを一文で入力してください。

## Today

today-title = 本日
today-empty-title = まだありません
today-empty = このレジで販売・利用したカードが、ここに表示されます。
today-redeemed = 利用
today-sold = 販売
today-done = 完了
today-redeem-row = 利用 { $card }
today-sell-row = 販売 { $offer }
today-give-row = 進呈 { $offer }
today-earlier-version = 以前のバージョン

## Receipt, for the till

receipt-print = レシートを印刷
receipt-no-paper = 紙がない場合：お客様がスキャン
receipt-page = カードのコードを入力すると、残高が表示されるページです。

## Ticket, receipt and codes: for the customer

qr-gift-card = ギフトカードのQRコード
qr-balance-page = カードの残高を表示するページのQRコード
paper-label = 印刷用
ticket-valid-to = { $date }まで有効
ticket-advice = お支払いの際にこのコードをお見せください。コードを知っている人は誰でも使えるため、現金と同様に保管してください。
paper-balance = カードの残高：
receipt-title = ギフトカードでのお支払い
receipt-total = お買い上げ合計
receipt-card = カード
receipt-left = カード残高
receipt-reference = 照会番号
