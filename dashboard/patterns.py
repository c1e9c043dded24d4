"""What RE2 says of a pattern that it does not take, in words that help."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dashboard.forms import HubForm
from memoryhub.errors import Invalid

_LOOK_AROUND = _("RE2 has no look-ahead or look-behind: name words that stand near it instead.")
_EXPLAINED: tuple[tuple[str, str | Promise], ...] = (
    ("(?=", _LOOK_AROUND),
    ("(?!", _LOOK_AROUND),
    ("(?<", _LOOK_AROUND),
    ("invalid perl operator", _LOOK_AROUND),
    ("invalid escape sequence", _("RE2 does not know this escape; it has no back-references.")),
    ("missing closing )", _("A bracket ( is not closed.")),
    ("missing )", _("A bracket ( is not closed.")),
    ("unexpected )", _("There is a ) without its (.")),
    ("missing closing ]", _("A class [ is not closed.")),
    ("missing ]", _("A class [ is not closed.")),
    ("invalid character class", _("The range in [ ] runs backwards, or is none.")),
    ("no argument for repetition", _("There is nothing before *, +, ? or { to repeat.")),
    ("bad repetition operator", _("Two repetitions stand one behind the other.")),
    ("invalid repetition size", _("At most 1000 repetitions can be asked for.")),
    ("trailing \\", _("A \\ at the end escapes nothing.")),
    ("too large", _("It becomes too large: ask for fewer repetitions.")),
    ("empty text", _("It would match an empty text: make at least one character necessary.")),
    ("not valid Unicode", _("It holds a character that is none.")),
)
_NAMED: dict[str, str | Promise] = {
    "bad_name": _("2 to 40 of a–z, 0–9 and _, a letter first."),
    "taken": _("This kind is built in; take another name."),
    "bad_words": _("At most 20 words of 1 to 24 characters."),
}


def explain_pattern(said: str) -> str:
    """RE2's own words, after what they mean where that is known."""
    for part, meaning in _EXPLAINED:
        if part in said:
            return f"{meaning} ({said})"
    return said


def explain_refusal(form: HubForm, error: Invalid) -> None:
    """Each fault at its field, explained."""
    known = []
    for fault in error.errors:
        field = fault.path.partition("[")[0]
        if fault.code == "bad_pattern":
            form.add_error("pattern", explain_pattern(fault.detail))
        elif fault.code in _NAMED and field in form.fields:
            form.add_error(field, str(_NAMED[fault.code]))
        else:
            known.append(fault)
    if known:
        form.add_fault(Invalid(known))
