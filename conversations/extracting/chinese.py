"""First-person statements in Chinese: what stands after 我 and tells something that lasts. Pure."""

from __future__ import annotations

import re

from conversations.extracting.statements import Statement, clean_value, kind_of, with_topic

_LEAD = (
    r"(?:(?:你好|您好|嗨|好的?|嗯|恩|呃|哈哈|哇|其实|实际上|另外|而且|对了|是的|是啊|当然(?:啦"
    r"|啊)?|那太好了|顺便(?:说一下|告诉你)?"
    r"|话说回来|说起来|还有|那么|不过|但是|可是|因为|所以|朋友|请|帮我|你?要?记住|记一下|别忘了"
    r"|现在|目前|最近|今天|昨天"
    r"|昨晚|前天|晚上|早上|上午|下午|上周末?|上个?月|这几天|刚刚|今年|去年|有时候?|比如"
    r"|除了[^我]{1,12})[的啊呀]?)*"
)
_ADVERBS = (
    r"(?:一直|也|还|都|就|很|非常|特别|比较|真的|其实|最近|今天|昨天|平时|一般|通常|经常|主要"
    r"|更加?|现在|目前|已经|刚刚?"
    r"|上个?月|上周|前几天|这个月|去年|从小|蛮|挺|超级?|确实|的确|有时候?|基本上|个人|正|今年"
    r"|刚才|晚上|早上|下午|又)*"
)
_I = rf"^{_LEAD}我(?:们|自己)?{_ADVERBS}"
_MY = rf"^{_LEAD}我(?:的)?"
_CITY = r"(?P<value>[^\s的了]{1,24}?)(?:了|这边|那边|这里|住|生活|工作)*$"
_WORKS = (
    r"老师|教师|医生|护士|工程师|程序员|设计师|学生|大学生|研究生|律师|会计|司机|作家|记者|经理"
    r"|销售|编辑|厨师|摄影师"
    r"|公务员|画家|歌手|演员|翻译|教练|店长|老板|客服|警察|军人|农民|工人|退休人员"
)
_KIN = (
    r"妻子|老婆|太太|丈夫|老公|先生|妈妈?|爸爸?|母亲|父亲|女儿|儿子|孩子|哥哥|姐姐|弟弟|妹妹"
    r"|女朋友|男朋友|爷爷|奶奶"
    r"|老板|上司|狗|猫|宠物"
)

_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (attribute, re.compile(pattern))
    for attribute, pattern in (
        ("name", rf"^{_LEAD}(?:我叫|我的(?:名字|姓名)(?:是|叫))(?P<value>[^\s，]{{1,20}})$"),
        ("called", rf"^{_LEAD}(?:你)?(?:也)?(?:可以)?(?:叫|称呼)我(?P<value>[^\s，]{{1,12}})$"),
        ("residence", rf"{_I}(?:家)?(?:{_ADVERBS})(?:住在|居住在|定居在|家在"
                rf"|定居)(?!一?[家个间]|酒店|宾馆|旅馆|民宿|医院|朋友)"
                      rf"{_CITY}"),
        ("residence", rf"{_I}(?:家)?{_ADVERBS}(?:搬家?到|搬家?去|搬来|迁到|搬回){_CITY}"),
        ("hometown", rf"{_I}(?:来自|出生在|出生于){_CITY}"),
        ("hometown", rf"{_MY}(?:老家|家乡)(?:是|在){_CITY}"),
        ("hometown", rf"{_I}是(?P<value>(?!.*[的个好坏老成])[\u4e00-\u9fff]{{2,5}})人$"),
        ("birthday", rf"{_MY}(?:生日|出生日期)(?:是|在"
                rf"|：)?(?P<value>[^，]*[0-9一二三四五六七八九十]+[^，]*)$"),
        ("age", rf"{_I}(?P<value>[0-9]{{1,3}}|[一二三四五六七八九十]{{1,4}})岁"),
        ("occupation", rf"{_I}(?:是|当|做)(?:一?[名个位])?(?P<value>[^的，]{{0,10}}(?:{_WORKS}))$"),
        ("occupation", rf"{_MY}职业是(?P<value>[^，]{{1,20}})$"),
        ("employer", rf"{_I}在(?P<value>(?!一?家|这|那|当前|现在|公司|考虑|思考|想|寻找|找"
                rf"|换)[^，的]{{1,24}})(?:工作|上班"
                     rf"|任职)$"),
        ("school", rf"{_I}在(?P<value>[^，的]{{1,24}}(?:大学|学院|中学|学校|小学))(?:读|上|念"
                rf"|学习)"),
        ("marital_status", rf"{_I}(?P<value>单身|结婚|离婚|订婚)"),
        ("allergy", rf"{_I}对(?P<value>[^，]{{1,20}})(?:严重|有点|会)*过敏"),
        ("diet", rf"{_I}(?P<value>吃素|是素食(?:主义)?者|(?:不|只"
                rf"|从不)(?:能)?[吃喝][^，]{{1,20}})$"),
        ("dislikes", rf"{_I}(?:不(?:太|怎么|是很|大)?喜欢|讨厌|不爱|受不了"
                rf"|最怕)(?P<value>[^，]{{1,60}})$"),
        ("favorite", rf"{_I}最(?:喜欢"
                rf"|爱)的?(?P<topic>[^，是]{{0,16}}?)(?:就)?是(?P<value>.{{1,60}})$"),
        ("likes", rf"{_I}最?(?:喜欢|热爱|钟爱|偏爱|爱|热衷于|痴迷于|倾向于|享受)(?P<value>(?!你"
                rf"|上你|和你|这种"
                  rf"|那种感)[^，]{{1,80}})$"),
        ("likes", rf"{_I}对(?P<value>[^，]{{1,40}}?){_ADVERBS}(?:越来越)?(?:感兴趣|有兴趣)"),
        ("likes", rf"{_MY}(?:爱好|兴趣爱好|兴趣)(?:是|有|包括)(?P<value>[^，]{{1,80}})$"),
        ("default", rf"^{_LEAD}(?:我们?)?{_ADVERBS}(?:以后)?(?:请|都)*默认(?:都|是|请|由"
                rf"|请都)*(?:用|使用|走|选择?|发"
                    rf"|通过|按)"
                    rf"(?P<value>[^，]{{1,20}}?)(?P<topic>发货|寄件|寄送|寄|付款|支付|送货|配送"
                rf"|结账|结算|沟通|联系|回复)?$"),
        ("default", rf"^{_LEAD}(?:我们?)?以后(?:请|都|就|一律)*(?:用|使用|走|通过"
                rf"|按)(?P<value>[^，]{{1,20}}?)"
                    rf"(?P<topic>发货|寄件|寄送|寄|付款|支付|送货|配送|结账|结算|沟通|联系"
                rf"|回复)?$"),
        ("has", rf"{_I}(?:养了?|有)(?P<value>(?:[一两二三四五六几0-9]+)(?:只|条|名|位|辆|套|台"
                rf"|个(?=孩子|儿子|女儿|哥哥|姐姐"
                rf"|弟弟|妹妹))[^，]{{1,20}})$"),
        ("family", rf"{_MY}(?P<topic>{_KIN})(?P<value>(?:叫|是|在|喜欢|今年|住|对|的名字|的生日"
                rf"|非常|很).{{1,60}})$"),
        ("character", rf"{_MY}性格(?:是|比较|很|有点|偏)*(?P<value>[^，]{{1,20}})$"),
        ("character", rf"{_I}(?:比较|有点|是个)*(?P<value>内向|外向|敏感|懒惰|急性子"
                rf"|慢性子)(?:的人)?$"),
        ("plan", rf"{_I}(?:打算|计划|决定|准备|想去|想要去|正计划"
                rf"|考虑)(?P<value>(?!.{{0,4}}(?:和你|跟你|问|请教|聊|分享"
                 rf"|吃[早午晚]饭|休息)).{{2,80}})$"),
        ("doing", rf"{_I}(?:在|开始|正在|尝试)(?P<value>(?:学习?|准备|练习|研究|追|看|读|写"
                rf"|收藏|考虑|思考|寻找|玩|做|热衷|听|规律"
                  rf"|找).{{1,80}})$"),
        ("doing", rf"{_I}(?:跟了|组了|加入了|报名了?|注册了)(?P<value>.{{2,80}})$"),
        ("did", rf"{_I}(?P<value>(?:和[^，]{{1,12}}一起)?(?:去了|去过|去看了|去的是|看了|看过"
                rf"|看的是|看到了|读了|读过|买了|做了"
                rf"|做的|学会了|学了"
                rf"|听了|参加了|吃了|品尝了|发现了|遇到了|跑了|完成了|拍了|爬了|到了|抽了"
                rf"|和.{{1,8}}一起).{{1,80}})$"),
        ("habit", rf"^{_LEAD}我(?:们)?(?:也|一直)?(?P<value>(?:每天|每周|每个月|一般|通常|经常"
                rf"|平时)(?!都?(?:感到|觉得"
                  rf"|感觉)).{{2,80}})$"),
    )
)  # fmt: skip

_ENUMERATES = re.compile(r"^[^我你您他她它这那是了吗呢]{1,8}$")
_REMEMBER = re.compile(r"(?:记住|记一下|记下来|别忘了|牢记|记着)")


def read_clause(clauses: tuple[str, ...], place: int) -> Statement | None:
    """What the clause at `place` states, or None. `text` is left to the caller's sentence."""
    clause = clauses[place]
    for attribute, pattern in _RULES:
        found = pattern.search(clause)
        if found is None:
            continue
        parts = found.groupdict()
        value = clean_value(parts["value"])
        if attribute == "likes":
            value = "、".join([value, *_enumeration(clauses[place + 1 :])])
        if not value:
            continue
        attribute = with_topic(attribute, parts.get("topic"))
        return Statement(attribute, value, kind_of(attribute), clause)
    return None


def asks_to_remember(text: str) -> bool:
    """Whether the person asks that this be remembered."""
    return _REMEMBER.search(text) is not None


def _enumeration(following: tuple[str, ...]) -> list[str]:
    """`我喜欢唱歌，健身，旅游`: the short clauses that only go on listing."""
    listed = []
    for clause in following:
        if not _ENUMERATES.match(clause):
            break
        listed.append(clean_value(clause))
    return listed
