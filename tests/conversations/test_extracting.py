"""What rules read from a message, and what they leave alone. Pure."""

from __future__ import annotations

from datetime import date

import pytest

from conversations.extracting.rules import extract_by_rules
from conversations.extracting.statements import says_the_same

STATED = [
    ("我住在杭州", "residence", "杭州", "profile"),
    ("我家住在杭州。", "residence", "杭州", "profile"),
    ("我上个月搬到北京了", "residence", "北京", "profile"),
    ("你好，我叫李雪，很高兴认识你。", "name", "李雪", "profile"),
    ("我的生日是1990年5月4日", "birthday", "1990年5月4日", "profile"),
    ("我是一名软件工程师", "occupation", "软件工程师", "profile"),
    ("我在阿里巴巴工作", "employer", "阿里巴巴", "profile"),
    ("我对花生过敏", "allergy", "花生", "profile"),
    ("我不喜欢香菜", "dislikes", "香菜", "fact"),
    ("其实我很喜欢绘画、弹钢琴和品茶，你有什么推荐吗？", "likes", "绘画、弹钢琴和品茶", "fact"),
    ("我最喜欢的颜色是蓝色", "favorite:颜色", "蓝色", "fact"),
    ("默认用顺丰发货", "default:shipping", "顺丰", "fact"),
    ("以后都用中通发货", "default:shipping", "中通", "fact"),
    ("今天我去了云台山，风景很美", "did", "去了云台山", "episode"),
    ("我最近在学习编程", "doing", "学习编程", "episode"),
    ("I live in Berlin.", "residence", "Berlin", "profile"),
    ("I just moved to New York", "residence", "New York", "profile"),
    ("Hello, my name is Emily. Nice to meet you.", "name", "Emily", "profile"),
    ("I'm allergic to peanuts", "allergy", "peanuts", "profile"),
    ("I am 34 years old", "age", "34", "profile"),
    ("I work for Siemens", "employer", "Siemens", "profile"),
    ("I like hiking, running, and chess. What about you?", "likes", "hiking, running, and chess",
     "fact"),
    ("I don't like cilantro", "dislikes", "cilantro", "fact"),
    ("Always ship my parcels via DHL", "default:shipping", "DHL", "fact"),
    ("My favourite color is blue", "favorite:color", "blue", "fact"),
    ("Recently, I've been learning to cook.", "doing", "learning to cook", "episode"),
]  # fmt: skip
LEFT_ALONE = [
    "今天天气不错", "谢谢你的推荐", "你好", "再见，明天见！", "你住在哪里？", "我住在哪里？",
    "如果我住在杭州，就好了",
    "他说我住在杭州", "我住在酒店", "我喜欢你", "我要订明天下午 3 点去机场的车", "你喜欢游泳吗？",
    "我应该去看医生吗？",
    "Nice weather today", "Thanks a lot!", "Hello there", "Where do I live?", "Do I like tea?",
    "If I lived in Paris, I would be happy", "I would like a coffee", "I'd like to book a table",
    "I used to live in Rome", "She says I live in Rome", "I love it", "I love you", "I got it",
    "", "。。。", "?" * 500, "我" * 5_000, "I " * 5_000, "其实" * 2_000, "hi, " * 2_000,
]  # fmt: skip


@pytest.mark.parametrize(("text", "attribute", "value", "kind"), STATED)
def test_a_statement_is_read(text: str, attribute: str, value: str, kind: str) -> None:
    (found,) = extract_by_rules(text)
    assert (found.attribute, found.value, found.kind) == (attribute, value, kind)
    assert found.text in text
    assert not found.is_confirmed


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_states_nothing_is_left_alone(text: str) -> None:
    assert extract_by_rules(text) == []


@pytest.mark.parametrize(
    "text", ["请记住，我对花生过敏", "记住我住在杭州", "Please remember: I am vegetarian."]
)
def test_what_is_to_be_remembered_is_confirmed(text: str) -> None:
    (found,) = extract_by_rules(text)
    assert found.is_confirmed


def test_a_birthday_of_today_becomes_a_date() -> None:
    said_on = date(2023, 5, 4)
    (chinese,) = extract_by_rules("你好，朋友，今天是我的生日，非常开心。", said_on=said_on)
    (english,) = extract_by_rules("Today is my birthday!", said_on=said_on)
    assert (chinese.value, english.value) == ("5月4日", "May 4")


def test_lists_are_compared_by_what_they_list() -> None:
    assert says_the_same("likes", "绘画、弹钢琴和品茶", "品茶、绘画")
    assert says_the_same("likes", "Hiking and chess", "chess, hiking, tea")
    assert not says_the_same("likes", "猫", "熊猫")
    assert not says_the_same("residence", "杭州", "杭州、北京")


def test_a_message_has_a_most_of_statements() -> None:
    text = "。".join(f"我喜欢第{number}首歌" for number in range(200))
    assert len(extract_by_rules(text)) == 12
