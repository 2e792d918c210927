# en.ftl says where these messages stand.

## In all mails

greeting = { $name }様
greeting-nobody = ご利用者様
open-portal = ポータルを開く
somebody = チームのメンバー
your-account = お使いの事業者アカウント
unknown-program = 不明なプログラム

## A code to sign in

code-subject = ログインコードのお知らせ
code-text = { $host }にログインするには、次のコードを入力してください：
code-details = このコードは{ $from }（UTC）にリクエストされました（{ $browser }）。{ $until }（UTC）まで、1回だけ使えます。
code-secret = このコードは誰にも教えないでください。読み上げたり、ほかの場所に入力したりしないでください。当サービスからコードをお尋ねすることは決してありません。
code-unexpected = リクエストした覚えがない場合は、このメールを無視してかまいません。コードがなければ誰もログインできません。
codes-off-subject = ログインコードはオフになっています
codes-off-text = { $time }（UTC）にログインコードがリクエストされました（{ $browser }）。コードはご自身の設定でオフになっています。パスキーでログインしてください。
codes-off-unexpected = リクエストした覚えがない場合は、このメールを無視してかまいません。パスキーをすべて失くされた場合は、このメールにご返信ください。

## An invitation, which its maker confirms

confirm-subject = 招待の確認
confirm-text = { $host }のチームに、{ $person }さん（{ $email }）を次の権限で招待しようとしています：
confirm-enter = 招待を確定するには、次のコードを入力してください：
confirm-unexpected = この方を招待した覚えがない場合は、ほかの人があなたのセッションを使っている可能性があります。コードはどこにも入力せず、ダッシュボードでご自身のアカウントを開き、すべてのセッションを終了してください。
invite-subject = { $shop }に招待されました
invite-text = 事業者ポータルで{ $shop }の業務を行うための招待が届いています（招待者：{ $person }）。権限は次のとおりです：
invite-sign-in = 招待を承諾するには、このアドレス（{ $email }）でログインしてください：
invite-open = 招待を開く
invite-until = 招待は{ $day }まで承諾できます。
invite-unexpected = この招待者に心当たりがない場合は、このメールを無視してかまいません。

## What a member may do: a list

role-admin = 管理者：チームを含むすべて
role-full = フルアクセス：チームを除くすべて
role-viewer = 閲覧者：閲覧のみ
role-other = メンバー
may-nothing = まだありません
may-information = 事業者情報の閲覧と変更
may-organization = 店舗の管理
may-team = チームへの招待、チームとレジの管理
may-gift-cards = オファーの管理とカードの照会
may-analytics = 分析の閲覧
may-reports = 精算の閲覧
may-orders = 注文の閲覧
may-pos = レジでの販売と利用

## How one signs in

device-subject = 新しいブラウザーでログインしました
device-text = { $day } { $time }（UTC）に、お使いのアカウントに新しいブラウザーでのログインがありました：{ $browser }
device-unexpected = ご自身によるログインでない場合は、誰かがあなたのメールを読める状態にあります。ポータルですべての端末からログアウトし、メールアカウントを保護してください。また、当方で調査できるよう、このメールにご返信ください。
passkey-added-subject = パスキーが追加されました
passkey-added = { $day } { $time }（UTC）に、お使いのアカウントにパスキー「{ $name }」が追加されました。このパスキーでログインできるようになっています。
passkey-removed-subject = パスキーが削除されました
passkey-removed = { $day } { $time }（UTC）に、お使いのアカウントからパスキー「{ $name }」が削除され、すべての端末からログアウトしました。
passkey-removed-codes-on = 端末を1台失くしただけでログインできなくなるおそれがあるため、メールのコードで再びログインできるようになりました。
passkey-refused-subject = パスキーが拒否されました
passkey-refused = { $day } { $time }（UTC）に、パスキー「{ $name }」によるログインが拒否されました。このパスキーのコピーが存在する可能性があるためです。
passkey-refused-advice = そのコピーに心当たりがない場合は、ポータルでこのパスキーを削除してください。
codes-turned-off-subject = ログインコードがオフになりました
codes-turned-off = { $day } { $time }（UTC）に、お使いのアカウントでメールのコードがオフになりました。ログインに使えるのは、お持ちのパスキーだけです。
codes-turned-on-subject = ログインコードがオンになりました
codes-turned-on = { $day } { $time }（UTC）に、お使いのアカウントでメールのコードが再びオンになりました。
codes-turned-on-by-platform = { $day } { $time }（UTC）に、プラットフォームがお使いのアカウントでメールのコードを再びオンにしました。あなたがパスキーを失くされたという連絡を、どなたかから受けたためです。
sign-in-unexpected = ご自身による操作でない場合は、ほかの人があなたのアカウントを使える状態にあります。ポータルですべての端末からログアウトし、メールアカウントを保護してください。また、当方で調査できるよう、このメールにご返信ください。

## The merchant's account

account-subject = 事業者情報が変更されました
account-text = { $day } { $time }（UTC）に、{ $shop }の情報が変更されました。変更は、あなたのアカウント、またはあなたが作成したAPIキーで行われました。
account-text-nameless = { $day } { $time }（UTC）に、お使いの事業者アカウントの情報が変更されました。変更は、あなたのアカウント、またはあなたが作成したAPIキーで行われました。
account-what = 変更された可能性があるのは、会社の名称や番号、ウェブサイト、ロゴ、タイムゾーンです。現在の情報は、こちらでご確認ください：
account-unexpected = ご自身による変更でない場合は、チームの管理者に知らせてください。また、当方で調査できるよう、このメールにご返信ください。
verify-subject = 続けるには会社の確認が必要です
verify-text = お申し込みありがとうございます。{ $shop }のお申し込みを受け付けました。
verify-text-nameless = お申し込みありがとうございます。貴社のお申し込みを受け付けました。
verify-next = 次に、会社とその経営者の確認を行います。確認は、当サービスの確認業務パートナーが自社のページで行います：
verify-open = 会社の確認へ進む
verify-time = 所要時間は数分です。本人確認書類と会社の登記書類をお手元にご用意ください。結果が分かり次第、ポータルに表示されます。
verify-unexpected = お申し込みの覚えがない場合は、リンクを開かないでください。当方で調査できるよう、このメールにご返信ください。
status-subject = 事業者アカウントの状態が変わりました
status-active = { $shop }は有効です。
status-active-means = レジでギフトカードの販売と利用ができます。
status-suspended = { $shop }は停止中です。
status-suspended-means = 追ってお知らせするまで、ギフトカードの販売も利用もできません。
status-closed = { $shop }は閉鎖されています。
status-closed-means = ギフトカードの販売も利用も、もうできません。
status-declined = { $shop }は承認されませんでした。
status-declined-means = 貴社のお申し込みをお受けできません。
status-waiting = { $shop }は追加情報待ちです。
status-waiting-means = お申し込みについて、まだ判断できません。ポータルで不足分を補い、もう一度提出してください。
status-draft = { $shop }は下書きの状態です。
status-draft-means = ポータルでお申し込みを完成させ、提出してください。
status-review = { $shop }は審査中です。
status-review-means = お申し込みについて判断でき次第、お知らせします。
status-questions = ご質問がありましたら、このメールにご返信ください。
image-subject = ギフトカードの画像の公開を停止しました
image-text = { $shop }が公開していた画像の公開を停止しました：{ $image }
image-means = 画像は削除され、もう表示されません。この画像を使っているギフトカードには、別の画像が必要です。
image-unexpected = 誤りだと思われる場合は、このメールにご返信ください。

## News of the team, to its administrators

joined-subject = { $shop }のチームに参加した方がいます
joined = { $day } { $time }（UTC）に、{ $person }さん（{ $email }）が{ $shop }のチームに参加しました。
joined-unexpected = どの管理者もこの方を招待していない場合は、ダッシュボードで削除してください。
left-subject = { $shop }のチームから抜けた方がいます
left = { $day } { $time }（UTC）に、{ $person }さん（{ $email }）が{ $shop }のチームから抜けました。
removed-subject = { $shop }のチームから削除された方がいます
removed = { $day } { $time }（UTC）に、{ $person }さん（{ $email }）が{ $shop }のチームから削除されました。
administrator-subject = { $shop }に新しい管理者がいます
administrator = { $day } { $time }（UTC）に、{ $person }さん（{ $email }）が{ $shop }の管理者になりました。
team-open = チームを見る
team-unexpected = 想定どおりでない場合は、ダッシュボードでチームとその操作履歴を確認してください。
till-subject = { $shop }にレジが連携されました
till-text = { $day } { $time }（UTC）に、店舗「{ $store }」のレジ「{ $till }」が連携されました。このレジで、{ $shop }のギフトカードの販売と利用ができます。
till-open = すべてのレジを見る
till-unexpected = このレジに心当たりがない場合は、ダッシュボードで取り消してください。レジはすぐに使えなくなります。

## News of keys, which let a program call the API

key-created-subject = { $shop }のAPIキーが作成されました
key-created = { $day } { $time }（UTC）に、{ $person }さんが{ $shop }のAPIキー「{ $key }」を作成しました。
key-rotated-subject = { $shop }のAPIキーがローテーションされました
key-rotated = { $day } { $time }（UTC）に、{ $person }さんが{ $shop }のAPIキー「{ $key }」のシークレットを交換しました。
key-reads = プログラムはこのキーで、次の権限の範囲を閲覧できます：{ $permissions }。キーの有効期限は{ $day } { $time }（UTC）です。
key-writes = プログラムはこのキーで、次の権限の範囲を閲覧・変更できます：{ $permissions }。キーの有効期限は{ $day } { $time }（UTC）です。
key-unexpected = このキーに心当たりがない場合は、ダッシュボードで取り消してください。キーはすぐに使えなくなります。
key-ending-subject = { $shop }のAPIキーがまもなく使えなくなります
key-ending = { $shop }のAPIキー「{ $key }」は、{ $day } { $time }（UTC）に使えなくなります。作成者の{ $person }さんがチームから抜けたか、キーの権限を付与できなくなったためです。
key-expiring-subject = { $shop }のAPIキーの有効期限がまもなく切れます
key-expiring = { $shop }のAPIキー「{ $key }」は、{ $day } { $time }（UTC）に有効期限が切れます。
key-rotate = 引き続き必要な場合は、このキーの権限を持つ方がそれまでにダッシュボードでローテーションし、新しいシークレットをプログラムに設定してください。必要でない場合は、何もする必要はありません。
key-revoked-subject = { $shop }のAPIキーが取り消されました
key-revoked = { $day } { $time }（UTC）に、プラットフォームが{ $shop }のAPIキー「{ $key }」を取り消しました。ほかの人に知られている可能性があるためです。このキーをまだ使っているプログラムは拒否されます。
key-replace = ダッシュボードで別のAPIキーを作成し、古いキーがどこで公開されたかを調べてください。
key-open = すべてのAPIキーを見る

## News of webhooks

webhook-set-subject = { $shop }のWebhookエンドポイントが設定されました
webhook-set = { $day } { $time }（UTC）に、{ $shop }の次のメッセージだけを受信するよう、{ $host }が設定されました（設定者：{ $person }）：{ $events }
webhook-set-unexpected = このアドレスに心当たりがない場合や、足りないメッセージがある場合は、エンドポイントの変更または削除を開発者に依頼してください。
webhook-deleted-subject = { $shop }のWebhookエンドポイントが削除されました
webhook-deleted = { $day } { $time }（UTC）に、エンドポイント{ $host }が削除されました（削除者：{ $person }）。今後、ここには何も送信されません。
webhook-disabled-subject = { $shop }のメッセージは配信されなくなりました
webhook-gone = { $day } { $time }（UTC）以降、{ $shop }から{ $host }へは何も送信されていません。今後のメッセージは不要という応答が、エンドポイントからあったためです。
webhook-failing = { $day } { $time }（UTC）以降、{ $shop }から{ $host }へは何も送信されていません。5日間、エンドポイントがメッセージを1件も受け付けなかったためです。
webhook-enable = 新しいメッセージは3日間保存されます。エンドポイントが再び動作するようになったら、有効にするよう開発者に依頼してください。
webhook-open = すべてのエンドポイントを見る
