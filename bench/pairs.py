# ruff: noqa: E501 - a line a sentence and its three relatives
"""Pairs of sentences with what they are to each other, for the dedup threshold of a profile.

`same`: one fact, worded anew. `shape`: the same sentence about another fact. `opposite`: the fact
denied or reversed. In Chinese and English. The rules of reading were written with `tuning` in view;
`held_out` was written before they were last changed, and only its figures were looked at since.
Written for this project; public domain (CC0).
"""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    """Two sentences, their language, and `same`, `shape` or `opposite`."""

    share: str
    language: str
    relation: str
    one: str
    two: str


_ENGLISH = """
I prefer to write backend code in Go | For backend code I prefer Go | I prefer to write backend code in Rust | I refuse to write backend code in Go
The user lives in Berlin | Berlin is where the user lives | The user lives in Hamburg | The user no longer lives in Berlin
Invoices are sent on the first of each month | On the first of every month invoices are sent | Invoices are sent on the tenth of each month | Invoices are never sent on the first of the month
Anna is allergic to peanuts | Anna has a peanut allergy | Anna is allergic to shellfish | Anna is not allergic to peanuts
The deploy runs every Friday at 18:00 | Every Friday at 18:00 the deploy runs | The deploy runs every Monday at 18:00 | The deploy never runs on Fridays
Our database is Postgres 18 | We use Postgres 18 as our database | Our database is MySQL 8 | Our database is not Postgres
He drinks his coffee without sugar | He takes no sugar in his coffee | He drinks his coffee without milk | He drinks his coffee with sugar
The meeting room is on the third floor | The room for meetings is on floor three | The meeting room is on the fifth floor | The meeting room is not on the third floor
Orders above 50 euros ship for free | Shipping is free for orders over 50 euros | Orders above 80 euros ship for free | Orders above 50 euros do not ship for free
Her birthday is on 4 March | She was born on 4 March | Her birthday is on 9 June | Her birthday is not on 4 March
The customer wants a refund | The customer asks for their money back | The customer wants an exchange | The customer does not want a refund
Use dark mode in the editor | The editor should be in dark mode | Use dark mode in the terminal | Do not use dark mode in the editor
My cat is called Miso | The name of my cat is Miso | My cat is called Tofu | My cat is not called Miso
The API limit is 100 requests per minute | At most 100 API requests per minute are allowed | The API limit is 500 requests per minute | There is no limit on API requests
Tom reports to Sarah | Sarah is Tom's manager | Tom reports to Michael | Sarah reports to Tom
The password expires after 90 days | After 90 days the password expires | The password expires after 30 days | The password never expires
We ship with DHL by default | DHL is our default carrier | We ship with UPS by default | We never ship with DHL
The patient takes 20 mg of atorvastatin daily | Every day the patient takes atorvastatin, 20 mg | The patient takes 40 mg of atorvastatin daily | The patient stopped taking atorvastatin
Lisa plays the violin | Lisa is a violin player | Lisa plays the piano | Lisa does not play the violin
The contract ends in December 2027 | In December 2027 the contract ends | The contract ends in June 2027 | The contract does not end in December 2027
She is vegetarian | She does not eat meat | She is diabetic | She is not vegetarian
The build takes about ten minutes | A build needs roughly ten minutes | The build takes about an hour | The build does not take ten minutes
Mark moved to Lisbon last year | Last year Mark moved to Lisbon | Mark moved to Madrid last year | Mark moved away from Lisbon last year
The user likes short answers | Short answers are what the user likes | The user likes long answers | The user dislikes short answers
"""

_CHINESE = """
我平时用 Python 写后端 | 后端我一般都用 Python 写 | 我平时用 Java 写后端 | 我从来不用 Python 写后端
默认用顺丰发货 | 发货默认走顺丰 | 默认用京东发货 | 不要用顺丰发货
用户住在上海浦东 | 用户家在上海浦东 | 用户住在北京朝阳 | 用户已经不住在上海浦东了
小王对花生过敏 | 小王吃花生会过敏 | 小王对海鲜过敏 | 小王对花生不过敏
每周三下午三点开例会 | 例会在每周三下午三点 | 每周五下午三点开例会 | 每周三下午不开例会
我们最近配置的重排模型是 bge | 最近我们配置了 bge 作重排模型 | 我们最近配置的重排模型是 cohere | 我们最近停用了 bge 重排模型
喝咖啡不加糖 | 咖啡里不放糖 | 喝咖啡不加奶 | 喝咖啡要加糖
她的生日是三月四号 | 她三月四日过生日 | 她的生日是六月九号 | 她的生日不是三月四号
客户要求退款 | 客户希望把钱退回来 | 客户要求换货 | 客户不要求退款
编辑器用深色主题 | 编辑器要设成深色主题 | 终端用深色主题 | 编辑器不要用深色主题
满五十元包邮 | 订单满五十元免运费 | 满八十元包邮 | 满五十元也不包邮
密码九十天过期 | 密码的有效期是九十天 | 密码三十天过期 | 密码永不过期
会议室在三楼 | 开会的房间在三层 | 会议室在五楼 | 会议室不在三楼
老板喜欢简短的汇报 | 汇报简短一点老板才喜欢 | 老板喜欢详细的汇报 | 老板不喜欢简短的汇报
我养了一只叫团子的猫 | 我的猫名叫团子 | 我养了一只叫豆包的猫 | 我的猫不叫团子
接口限制每分钟一百次 | 每分钟最多调用接口一百次 | 接口限制每分钟五百次 | 接口没有调用次数限制
小李的上级是张经理 | 张经理是小李的领导 | 小李的上级是刘经理 | 张经理的上级是小李
合同到二零二七年十二月为止 | 合同在二零二七年十二月到期 | 合同到二零二七年六月为止 | 合同不在二零二七年十二月到期
她吃素 | 她不吃肉 | 她吃辣 | 她不吃素
构建大约要十分钟 | 一次构建差不多十分钟 | 构建大约要一个小时 | 构建用不了十分钟
他会拉小提琴 | 小提琴他会拉 | 他会弹钢琴 | 他不会拉小提琴
病人每天吃二十毫克阿托伐他汀 | 阿托伐他汀病人每天服二十毫克 | 病人每天吃四十毫克阿托伐他汀 | 病人已经停用阿托伐他汀
发票开公司抬头 | 开发票时用公司的抬头 | 发票开个人抬头 | 发票不要开公司抬头
去年他搬到了杭州 | 他去年搬去杭州了 | 去年他搬到了成都 | 去年他搬离了杭州
"""


_ENGLISH_HELD_OUT = """
Maria commutes by train | Maria takes the train to work | Maria commutes by bus | Maria no longer commutes by train
The shop opens at nine | Opening time of the shop is nine | The shop opens at eleven | The shop does not open at nine
I usually have oatmeal for breakfast | Breakfast for me is usually oatmeal | I usually have eggs for breakfast | I never have oatmeal for breakfast
Backups are kept for about a month | We keep backups roughly a month | Backups are kept for about a year | Backups are not kept
Her dog's name is Biscuit | Her dog is called Biscuit | Her dog's name is Pepper | Her dog's name is not Biscuit
The invoice goes to the Leeds office | Send the invoice to the Leeds office | The invoice goes to the Hull office | Do not send the invoice to the Leeds office
Paul is a teacher | Paul teaches | Paul is a nurse | Paul is not a teacher
The flight leaves at 7:40 every day | Daily at 7:40 the flight leaves | The flight leaves at 9:15 every day | The flight does not leave at 7:40
She works from home on Mondays | On Mondays she is working from home | She works from home on Thursdays | She never works from home on Mondays
At most three people fit in the lift | The lift takes no more than three people | At most six people fit in the lift | There is no limit of people in the lift
Ken manages Dora | Ken is Dora's manager | Ken manages Luis | Dora manages Ken
The lease runs until May 2028 | The lease ends in May 2028 | The lease runs until August 2028 | The lease does not run until May 2028
Our supplier for paper is Norpap | Norpap supplies our paper | Our supplier for paper is Finpap | Norpap is not our supplier for paper
He is allergic to cats | He has a cat allergy | He is allergic to dogs | He is not allergic to cats
The report is due on the 5th | The report must be in by the 5th | The report is due on the 20th | The report is not due on the 5th
Please answer in French | Answers should be in French | Please answer in Italian | Please do not answer in French
"""

_CHINESE_HELD_OUT = """
我通常坐地铁上班 | 我上班一般坐地铁 | 我通常骑车上班 | 我上班从来不坐地铁
店里九点开门 | 开门时间是九点 | 店里十一点开门 | 店里九点不开门
她的狗叫饼干 | 她家狗的名字是饼干 | 她的狗叫花生 | 她的狗不叫饼干
备份大概保留一个月 | 备份保留一个月左右 | 备份大概保留一年 | 备份不保留
请用法语回答 | 回答要用法语 | 请用德语回答 | 请不要用法语回答
他是老师 | 他的职业是老师 | 他是护士 | 他不是老师
电梯最多坐八个人 | 电梯限坐八人 | 电梯最多坐十五个人 | 电梯不限人数
航班每天早上七点起飞 | 每日早上七点航班起飞 | 航班每天晚上九点起飞 | 航班早上七点不起飞
租约到明年五月 | 租约明年五月到期 | 租约到明年八月 | 租约不到明年五月
陈工管着小赵 | 小赵归陈工管 | 陈工管着小孙 | 小赵管着陈工
周一她在家办公 | 她每周一居家办公 | 周四她在家办公 | 周一她不在家办公
纸张由北方纸业供应 | 北方纸业是我们的纸张供应商 | 纸张由南方纸业供应 | 纸张不由北方纸业供应
报告五号之前交 | 五号前要交报告 | 报告二十号之前交 | 报告五号不用交
早餐我习惯吃燕麦 | 我早饭一般吃燕麦 | 早餐我习惯吃鸡蛋 | 早餐我从不吃燕麦
发票寄到苏州办公室 | 请把发票寄往苏州办公室 | 发票寄到无锡办公室 | 发票不要寄到苏州办公室
奶奶有高血压 | 奶奶患高血压 | 奶奶有糖尿病 | 奶奶没有高血压
"""


def read_pairs() -> list[Pair]:
    """All pairs: each line gives one of every relation."""
    pairs = []
    for share, language, lines in (
        ("tuning", "en", _ENGLISH),
        ("tuning", "zh", _CHINESE),
        ("held_out", "en", _ENGLISH_HELD_OUT),
        ("held_out", "zh", _CHINESE_HELD_OUT),
    ):
        for line in lines.strip().splitlines():
            first, *others = [part.strip() for part in line.split(" | ")]
            for relation, other in zip(("same", "shape", "opposite"), others, strict=True):
                pairs.append(Pair(share, language, relation, first, other))
    return pairs
