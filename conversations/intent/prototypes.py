"""Sentences that stand for what matters and what does not; a message is like the nearest of them.

Written by us, in both languages, none of them in the labelled set of `bench/utterances.jsonl`. A
tenant may add its own (`tenants.Tenant.intent`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from conversations.intent.judging import Likeness

PROTOTYPES: Final[Mapping[Likeness, Sequence[str]]] = {
    "matters": (
        "给我叫一辆车去火车站",
        "替我约个时间见客户",
        "车票要二等座",
        "我在银行上班",
        "我家有两个孩子",
        "我打算春节回老家",
        "孩子学校的地址变了",
        "新办公室搬去了三楼",
        "合同编号在邮件里",
        "我跑步时膝盖会疼",
        "我刚换了工作",
        "体检报告下周出来",
        "这盒药年底过期",
        "我的眼镜左眼三百度",
        "Get me a cab to the train station",
        "Find a time to meet the client",
        "Second class is enough for the train ticket",
        "I work at a bank",
        "We have two children",
        "I'm going home for the holidays",
        "The address of the school has changed",
        "The new office has moved to the third floor",
        "The contract number is in the mail",
        "My knee hurts when I run",
        "I have just changed jobs",
        "I'll be travelling to Spain in May",
        "The test results come next week",
        "This box of pills expires in December",
        "I wear glasses for reading, plus two on both sides",
    ),
    "chatter": (
        "你今天过得怎么样呀",
        "这天可真热啊",
        "太好了，我真高兴",
        "就是随便说说",
        "跟你聊天真开心",
        "这也太神奇了吧",
        "我也是这么想的",
        "那就这么着吧",
        "你太会说话了",
        "人生就是这样",
        "星期天就是用来发呆的",
        "夜里的星星真美",
        "你懂得可真多",
        "How is your day going",
        "What a hot day it is",
        "Great, I am so glad",
        "I was only saying",
        "It is fun to talk to you",
        "That is simply amazing",
        "I feel the same way",
        "Fine, let's do that",
        "You really have a way with words",
        "That's life",
        "I didn't see that coming",
        "You have a point there",
        "Sundays are made for doing nothing",
        "The stars are beautiful tonight",
        "You really know a lot",
    ),
    "question_only": (
        "水在多少度会结冰",
        "这个词怎么读",
        "哪个国家人口最多",
        "手机坏了一般去哪里修",
        "你能做些什么",
        "At what temperature does water freeze",
        "How is this word pronounced",
        "Which country has the most people",
        "Where does one get a phone repaired",
        "What can you do",
    ),
}
