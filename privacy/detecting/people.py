"""Optional extras: names of people and Chinese addresses, by dictionary and context.

Unsure by nature, so they only flag: an officer confirms. They plug in by the same protocol as a
company's own service (`find(text, detectors=[PersonDetector()])`) and are off without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from privacy.detecting.folding import Folded, fold
from privacy.detecting.spans import Span

_COMPOUND = "欧阳|司马|上官|诸葛|夏侯|东方|皇甫|尉迟|公孙|慕容|令狐|宇文|司徒|端木|南宫|长孙"
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任"
    "沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔"
    "向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌"
    "毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连"
    "芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞"
)
_NAME = f"(?:(?:{_COMPOUND})|[{_SURNAMES}])[\u4e00-\u9fa5]{{1,2}}"
_STOP = (
    r"(?=$|[^\u4e00-\u9fa5]|先生|女士|小姐|同学|老师|医生|经理|教授|的|是|在|和|与|跟|及|说|来|去|住|今|电|"
    r"手机|身份|出生|负责|年|男|女)"
)
_CUED = re.compile(
    rf"(?:我叫|名叫|叫做|姓名(?:是|为)?|名字(?:叫|是)|联系人|收件人|收货人|经办人|负责人|患者|客户|员工|同事)"
    rf"[:\s]{{0,2}}({_NAME}?{_STOP})"
)
_TITLED = re.compile(
    f"((?:(?:{_COMPOUND})|[{_SURNAMES}])[\u4e00-\u9fa5]{{0,2}}?)"
    "(?:先生|女士|小姐|老师|医生|教授|经理|总监|律师|同学)"
)
_ENGLISH = re.compile(
    r"(?:(?i:my name is|name is|full name:?|name:|contact person:?|patient:?|sincerely,)\s{1,2}"
    r"|(?:Mr|Mrs|Ms|Dr|Prof)\.?\s)"
    r"([A-Z][a-z]{1,20}(?:[ -][A-Z][a-z'’]{1,20}){0,3})"
)


class PersonDetector:
    """Names after a cue (我叫, 联系人, `my name is`, `Dr.`) or before a title (先生, 女士)."""

    name = "people.person"

    def find(self, text: str) -> Iterator[Span]:
        """Chinese names begin with a surname of the list; English ones with a capital."""
        folded = fold(text)
        seen: set[int] = set()
        for pattern, score in ((_CUED, 0.7), (_ENGLISH, 0.7), (_TITLED, 0.6)):
            for match in pattern.finditer(folded.text):
                if match.start(1) not in seen:
                    seen.add(match.start(1))
                    yield _span("person", folded, match.span(1), score, self.name)


_REGION = (
    "北京|上海|天津|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|"
    "四川|贵州|云南|陕西|甘肃|青海|台湾|内蒙古|广西|西藏|宁夏|新疆|香港|澳门"
)
_CJK = "[\u4e00-\u9fa5]"
_ADDRESS = re.compile(
    rf"(?:(?:{_REGION})(?:省|市|自治区|特别行政区)?{_CJK}{{0,20}}?|{_CJK}{{2,6}}?(?:市|区|县){_CJK}{{0,12}}?)"
    rf"{_CJK}{{1,8}}(?:路|街|大道|道|巷|弄|胡同|里|村|镇)(?:[0-9]{{1,5}}(?:-[0-9]{{1,4}})?(?:号|弄))"
    rf"(?:院|楼|大厦|大院)?(?:[0-9A-Za-z]{{1,4}}(?:号楼|栋|幢|座|单元|层|楼|室|号)){{0,4}}"
)
_LEAD = re.compile(rf"{_CJK}*?(?:住在|家住|位于|住址|地址|寄到|送到|寄往|搬到|住|在|到)")


class AddressDetector:
    """A region or city, a street and a house number, with building and room."""

    name = "people.cn_address"

    def find(self, text: str) -> Iterator[Span]:
        """Only texts with a house number are looked at; every repetition is bounded."""
        folded = fold(text)
        if "号" not in folded.text and "弄" not in folded.text:
            return
        for match in _ADDRESS.finditer(folded.text):
            start, end = match.span()
            lead = _LEAD.match(folded.text, start, end)
            if lead and not re.match(_REGION, match[0]) and lead.end() < end:
                start = lead.end()
            yield _span("cn_address", folded, (start, end), 0.7, self.name)


def _span(entity: str, folded: Folded, place: tuple[int, int], score: float, name: str) -> Span:
    start, end = folded.place(*place)
    return Span(entity, start, end, folded.original[start:end], score, name)
