"""Words beside a candidate that say what it is, in Chinese and English, within 24 characters.

An English word must stand alone, in `snake_case`, or as a part of `camelCase`: `card` is in
`bankCard` and `card_no`, not in `discard`. Chinese words are looked for as they are.
"""

from __future__ import annotations

import re

WINDOW = 24

_ALONE = r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z]))"


def words(listed: str) -> re.Pattern[str]:
    """Compile words separated by `|`; a space in an English one may be `_`, `-` or nothing."""
    parts = listed.split("|")
    english = "|".join(re.escape(part).replace("\\ ", "[ _-]?") for part in parts if part.isascii())
    chinese = "|".join(re.escape(part) for part in parts if not part.isascii())
    pattern = rf"{_ALONE}(?i:{english})s?(?![a-z])" if english else ""
    return re.compile("|".join(filter(None, [pattern, chinese])))


def stands_near(text: str, start: int, end: int, listed: re.Pattern[str]) -> bool:
    """Whether one of the words is within 24 characters of `text[start:end]`, on either side."""
    before = text[max(0, start - WINDOW) : start]
    return bool(listed.search(before) or listed.search(text[end : end + WINDOW]))


def nearest_before(text: str, start: int, listed: re.Pattern[str]) -> int:
    """Where the last of the words in the 24 characters before `start` ends; -1 without one."""
    base = max(0, start - WINDOW)
    ends = [match.end() for match in listed.finditer(text[base:start])]
    return base + ends[-1] if ends else -1


_GLUE = re.compile(
    r"(?:[\s.:;#=\"'`(\[{>|_\-号码编为是第]|(?i:no|nr|number|id|is|key|ref|value)(?![a-z]))*"
)


def labels(text: str, start: int, listed: re.Pattern[str]) -> bool:
    """Whether one of the words names what starts at `start`, with only `no.`, `:`, `是` between."""
    end = nearest_before(text, start, listed)
    return end >= 0 and _GLUE.fullmatch(text, end, start) is not None


_GLUED_LEFT = re.compile(r"[0-9A-Za-z]{1,33}\Z")
_GLUED_RIGHT = re.compile("[0-9A-Za-z]{1,33}")


def letters_before(text: str, start: int) -> str:
    """The ASCII letters and digits glued to the left of `start` (at most 33)."""
    glued = _GLUED_LEFT.search(text, max(0, start - 33), start)
    return glued[0] if glued else ""


def letters_after(text: str, end: int) -> str:
    """The ASCII letters and digits glued to the right of `end` (at most 33)."""
    glued = _GLUED_RIGHT.match(text, end)
    return glued[0] if glued else ""


PHONE = words(
    "电话|手机|联系|联络|拨打|致电|来电|号码|打给|短信|微信|座机|热线|收件人|"
    "phone|mobile|tel|telephone|cell|cellphone|call|called|dial|contact|sms|"
    "whatsapp|wechat|text me|reach me|reach us|ring me|fax|msisdn|phone number|mobile no"
)
CARD = words(
    "卡号|银行卡|信用卡|借记卡|储蓄卡|卡|银联|付款|支付|转账|汇款|账号|账户|帐号|帐户|开户|银行|"
    "card|card no|card number|cardno|pan|visa|mastercard|amex|american express|unionpay|"
    "discover|jcb|pay|paid|payment|charge|charged|debit|credit|bank|account|acct|billing"
)
IDENTITY = words(
    "身份证|身份|证件|身份号码|公民|实名|id card|idcard|id number|id no|identity|"
    "national id|resident id|citizen id"
)
COMPANY = words(
    "统一社会信用代码|社会信用代码|信用代码|营业执照|纳税人识别号|税号|组织机构代码|注册号|"
    "uscc|uscc no|tax id|taxpayer|business license|company number|registration number"
)
ORDERED = words(
    "订单|单号|流水|交易号|运单|快递|物流|发票|工单|时间戳|序列号|批次|条码|雪花|毫秒|学号|"
    "价格|金额|合计|总额|余额|单价|price|amount|total|balance|"
    "order|order no|order id|order number|tracking|trace|span id|invoice|ticket|timestamp|ts|"
    "serial|sku|isbn|ean|upc|imei|batch|snowflake|tweet|nonce|epoch|millis|seed|checksum|row id"
)
PASSPORT = words("护照|通行证|passport|passport no|passport number|travel document")
SSN = words(
    "社会安全号|社安号|社会安全|ssn|social security|security number|security no|soc sec|taxpayer id"
)
NETWORK = words(
    "地址|主机|服务器|登录|登陆|网关|ip|ip address|ipv4|ipv6|addr|address|host|server|"
    "remote|peer|dns|gateway|ping|ssh|subnet|node|x forwarded for"
)
RELEASE = words(
    "版本|升级|固件|章节|条款|第|version|ver|v|release|build|firmware|driver|upgrade|"
    "upgraded|update|updated|rev|revision|section|chapter|clause|oid|changelog|tag|bump|patch"
)
