"""What marks a Chinese clause: requests, entities with an attribute, facts, chatter, questions.

Pure. Chinese has no spaces, so a mark is a phrase that stands in the clause; what is left when the
marks and particles are taken away is the object.
"""

from __future__ import annotations

import re

from conversations.intent.clauses import Clause, any_in, vocabulary, without
from conversations.intent.marks import Marks

_SMALL = tuple(
    "的了呢吧啊呀哦嘛哈么吗着过地得就也都还再很太真好挺更是你您我他她它们这那个点下些一和与跟又"
)
"""Particles, pronouns and measure words: no object by themselves."""

_SOUNDS = frozenset("嗯恩哦噢喔啊呃额哼唔行好对是哎唉哇")

_GREETINGS = vocabulary(
    """
    你好 您好 大家好 早上好 早安 上午好 中午好 下午好 晚上好 晚安 嗨 哈喽 哈啰 好久不见 又见面
    在吗 在不在 拜拜 再见 明天见 回头见 下次再聊 先这样 回聊 新年快乐 生日快乐 节日快乐 圣诞快乐
    周末愉快 万事如意 恭喜发财 祝你 祝您 很高兴认识 ai伴侣 吃饭了 快乐 愉快 见面
    """
)
_THANKS = vocabulary(
    """
    谢谢 多谢 感谢 谢了 谢啦 辛苦 不客气 不用谢 没关系 没事 没问题 麻烦你了 麻烦您了 帮了大忙
    帮大忙 你的推荐 你的建议 你的帮助 你的分享 你的回答
    """
)
_REACTIONS = vocabulary(
    """
    好的 好吧 好呀 好啊 行吧 可以的 知道了 明白 懂了 了解 收到 原来如此 原来是这样 是这样 这样啊
    有道理 说得对 说的对 没错 确实 当然 对的 是的 是啊 哈 嘿 嘻 呵 嗯 恩 哦 噢 喔 哇 唉 哎 呜 额
    呃 厉害 太棒 真棒 很棒 牛 赞 不错 太好了 真好 聪明 幽默 有趣 有意思 好玩 可爱 太逗 逗你玩
    开玩笑 真的 无聊 随便聊聊 聊聊 我也这么觉得 我也觉得 我同意 听起来 听上去 看起来 没想到
    怎么会这样 还能这样 那就好 太可惜 加油 我会去看看 我会去看一看 我会试试 看一看 试试看 好开心
    好累 有点累 好困 开心
    """
)
_WEATHER = vocabulary(
    """
    天气 气温 太阳 下雨 雨下 下雪 雪下 刮风 的风 风好大 风真大 空气 晴天 阴天 雾霾 好晒 晒死
    好热 好冷 越来越冷 越来越热 挺冷 挺热 真冷 真热 凉快 暖和 清新
    """
)
_WEATHER_SMALL = vocabulary(
    """
    今天 昨天 昨晚 晚上 最近 外面 这边 这里 越来越 好像 大 小 冷 热 晒 闷 潮 不错 暖 死
    """
)

_ASKING = vocabulary(
    """
    帮我 帮忙 帮我们 麻烦 请你 请您 请帮 提醒 给我 替我 我要 我想要 我想 我需要 想要 需要 记一下
    记住 记得 别忘 以后 默认 从现在起 别再 不要再 能不能 能否 可不可以 可以帮
    """
)
_DOING = vocabulary(
    """
    预约 预订 预定 订 下单 买 取消 退掉 退货 换成 换到 改成 改到 改为 推迟到 修改 更新 查一下
    查询 查 找一 搜索 推荐 写 起草 翻译 生成 导出 打印 对比 比较 统计 计算 整理 总结 安排 准备
    发给 发到 寄到 送到 抄送 转成 转给 转账 充 开票 打开 关闭 关掉 调暗 调亮 调到 调高 调低 设置
    设成 设为 播放 加一 添加 删除 删掉 请个假 请假 报名 通知 联系 做一份 来一份 点一份 叫一辆
    叫车 打车 定个 定一
    """
)
_AT_START = vocabulary(
    """
    请 把 将 给 订 定 买 查 写 发 改 退 换 开 关 调 设 加 删 送 寄 叫 约 想买 想订 想去 想找
    别给 不要给
    """
)

_ATTRIBUTES = vocabulary(
    """
    手机号 手机 电话 号码 邮箱 地址 住址 微信 生日 密码 账号 帐号 卡号 身份证 护照号 车牌 车位
    门牌 抬头 税号 订单号 单号 编号 时间 时段 日期 工号 职位 职务 部门 学校 专业 年龄 身高 体重
    尺码 型号 价格 预算 联系人 联系方式 负责人 截止 门诊 公司 老师
    """
)
_OWNED = re.compile(r"(?P<who>[^的是我你您它这那什么哪]{2,12})的?(?:[^的]{0,6})$")
_STATES = re.compile(r"(?:是|为|写|在|叫|改到|推迟到|提前到|定在|截止到|换成|换了|:|=)\s*\S{2,}")

_ME = ("我", "咱", "本人")
_KIN = vocabulary(
    """
    我家 家里 我妈 我爸 我老婆 我老公 我妻子 我丈夫 我太太 我先生 我女儿 我儿子 我孩子 我弟 我哥
    我姐 我妹 我爷爷 我奶奶 我同事 我朋友 我老板 我们组 我们公司 我们家
    """
)
_TELLING = vocabulary(
    """
    住 姓 名叫 我叫 叫我 来自 出生 毕业 读的 在读 就读 学习 正在学 在学 学了 学会 工作 上班 任职
    当 做 养 有一 有个 有两 有糖尿病 有高血压 过敏 喜欢 喜爱 热爱 爱吃 爱看 最爱 讨厌 不喜欢
    不吃 不喝 不能吃 不太能 吃素 习惯 一般 通常 平时 经常 每天 每周 每个月 每年 买了 去了 去过
    要去 打算 计划 准备 约好 约了 参加 看了 看完 看到 读了 读完 做了 写了 搬到 搬家 结婚 离婚
    怀孕 生了 今年 下个月 下周 上周 上个月 昨天 昨晚 后天 出差 旅行 面试 考试 体检 手术 生病
    不好 发烧 换了 开了 例会 负责 感兴趣 擅长 不会 爱好
    """
)
_OPINION = vocabulary(
    """
    我觉得 我认为 我想说 我猜 我也这么 我也是 我会去看 我明白 我知道 我懂 我怀疑 我好奇 我不敢相信
    我真没 我没想到 我等不及 我喜欢你 我爱你 和你聊 跟你聊 跟你说话 和你说话
    """
)

_DUTY = vocabulary(
    """
    必须 务必 不得 不许 不准 禁止 一律 只能 只收 只认 只限 仅限 最多 至少 不允许 谢绝 不能超过
    不超过
    """
)
_VAGUE = ("你", "您", "这", "那就", "人生", "生活", "人就")
"""Of whom a duty is said in passing: "你必须承认"."""

_ASKS = vocabulary(
    """
    什么 怎么 怎样 为什么 为啥 哪 谁 几点 几分 几个 几天 几年 多少 多久 多远 多大 多高 是不是
    有没有 会不会 要不要 是否 可以吗 吗 呢 能带 可以带
    """
)


_IF_YOU_PLEASE = ("可以吗", "行吗", "好吗", "可以么", "行么", "好不好", "行不行", "可不可以")
"""Endings that make a question of a request; "退货要多少天" has none, and asks."""

_TALK = _GREETINGS | _THANKS | _REACTIONS
_DULL = _TALK | _WEATHER | _WEATHER_SMALL
_NO_OBJECT = _ASKING | _THANKS | {"看看", "一下", "可以", "能", "看"}


def marks_of(clause: Clause) -> Marks:
    """What marks this clause."""
    text = clause.text
    asks = clause.asks or any_in(text, _ASKS)
    left = _bare(without(text, _TALK))
    is_weather = any_in(text, _WEATHER)
    weather_left = _bare(without(text, _DULL)) if is_weather else ""
    return Marks(
        requests=_requests(text, asks=asks),
        names_attribute=_names_attribute(text),
        tells=_tells(text, asks=asks),
        binds=not (asks or is_weather) and _binds(text),
        asks=asks,
        chats=(any_in(text, _TALK) and len(left) <= 1) or (is_weather and len(weather_left) <= 2),
        is_sound=len(clause.content) <= 2 and set(clause.content) <= _SOUNDS,
        content=len(_bare(text)),
    )


def _bare(text: str) -> str:
    """Letters and digits without particles and pronouns."""
    return "".join(letter for letter in text if letter.isalnum() and letter not in _SMALL)


def _requests(text: str, *, asks: bool) -> bool:
    """A request or command with an object; "帮我看看" has none, "你会…吗" asks about the hub."""
    marked = any_in(text, _ASKING) and not any_in(text, _OPINION)
    starts = text.startswith(tuple(_AT_START))
    does = any_in(text, _DOING)
    if not (marked or starts or does):
        return False
    rest = _bare(without(text, _NO_OBJECT))
    if len(rest) < 2:
        return False
    if asks and not (marked or "一下" in text or text.endswith(_IF_YOU_PLEASE)):
        return False
    return marked or starts or (does and len(rest) >= 4 and not text.startswith(("你", "您")))


def _names_attribute(text: str) -> bool:
    """Somebody's or something's attribute: 张三的手机号, 发票抬头写…, 会员卡号是 8836."""
    for attribute in _ATTRIBUTES:
        at = text.find(attribute)
        if at < 0:
            continue
        before, after = text[:at], text[at + len(attribute) :]
        if _OWNED.search(before) and (before.endswith("的") or len(_bare(before)) >= 2):
            owner = _OWNED.search(before)
            if owner is not None and (before.endswith("的") or _STATES.search(after)):
                return True
        if _STATES.search(after) and not any_in(after, _ASKS):
            return True
    return False


def _tells(text: str, *, asks: bool) -> bool:
    """A first-person fact: somebody of mine, or me, with something that is told of them."""
    if any_in(text, _OPINION) or (asks and not text.startswith(_ME)):
        return False
    is_mine = any_in(text, _KIN)
    if not (is_mine or any_in(text, _ME)):
        return False
    if is_mine:
        return len(_bare(without(text, _KIN))) >= 3
    return any_in(text, _TELLING) and len(_bare(text)) >= 3


def _binds(text: str) -> bool:
    """What must or must not be: 复印件必须盖章, 一次最多带两个人."""
    if text.startswith(_VAGUE) or any_in(text, _OPINION) or not any_in(text, _DUTY):
        return False
    return len(_bare(without(text, _DUTY))) >= 4
