"""Pages for what went wrong: what happened, and what one can do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memories.namespaces import encode
from memoryhub.errors import Gone, HubError, Invalid

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure in words: a title and what to do."""

    title: Text
    advice: Text


BY_STATUS: dict[int, Failure] = {
    400: Failure(_("The request could not be read"), _("Go back and try again.")),
    403: Failure(
        _("Your role does not allow this"),
        _("Someone with another role can do it, or an admin can change yours."),
    ),
    404: Failure(
        _("There is nothing here"),
        _("The address is wrong, the thing is gone, or it belongs to another tenant."),
    ),
    405: Failure(_("This page does not take that"), _("Go back and try again.")),
    409: Failure(
        _("Not possible in this state"),
        _("It changed meanwhile, perhaps by somebody else. Look again, then decide."),
    ),
    412: Failure(
        _("Somebody else was faster"), _("The newest state is shown. Make your change again.")
    ),
    422: Failure(_("That was not understood"), _("Look at the address or the form again.")),
    429: Failure(_("Too many tries"), _("Wait a few minutes, then try again.")),
    500: Failure(
        _("Something went wrong here"),
        _("The log has it, under the request id below. Trying again may help."),
    ),
    503: Failure(
        _("A part is not reachable"),
        _("Nothing was changed. It usually comes back within seconds: try again."),
    ),
}

FAULTS: dict[str, Text] = {
    "csrf_failed": _("The form had grown old. Go back, reload the page, and send it again."),
    "sent_already": _("This form was sent already. What it made stands in the list."),
    "last_admin": _("This is the tenant’s last admin. Give somebody else the role first."),
    "already_member": _("This person belongs to the tenant already."),
    "sign_in_first": _("You have an account already: sign in first, then open the link again."),
    "scope_taken": _("This prefix has a sweep scope already."),
    "own_scope": _("The tenant’s own scope stays."),
    "version_mismatch": _("Somebody changed the settings meanwhile. Look at them again."),
    "invalid_email": _("That is not an e-mail address."),
    "unknown_role": _("There is no such role."),
    "invalid_name": _("A name has 1 to 200 characters."),
    "unknown_scope": _("There is no such scope."),
    "invalid_network": _("Write a network as 192.0.2.0/24 or 2001:db8::/48."),
    "unknown_timezone": _("There is no such time zone."),
    "unknown_locale": _("There is no such language."),
    "out_of_range": _("The number is too small or too large."),
    "invalid_type": _("This is not a value of the right form."),
    "required": _("This is needed."),
    "empty": _("This is needed."),
    "invalid_item": _("Each has 1 to 63 characters."),
    "too_long": _("This is too long."),
    "invalid_namespace": _("Write a namespace as support/tickets."),
    "empty_label": _("A label cannot be empty."),
    "dot_in_label": _("A label cannot contain a dot."),
    "label_too_long": _("A label is too long."),
    "rules_changed": _("Somebody changed these rules meanwhile. Look at them, then change again."),
    "rule_locked": _("A locked rule only becomes stricter. Set it back as it is in force."),
    "unknown_value": _("This is not one of the possible values."),
    "bad_instant": _("Write a day as 2027-03-31."),
    "empty_scope": _("Name somebody or something: a hold covers something."),
    "unknown_memory": _("There is no memory with one of these ids."),
    "too_many": _("These are too many for one."),
    "invalid_subject": _("A subject has 1 to 256 bytes."),
    "duplicate_key": _("Another one has this key already."),
    "confirm_count_required": _("Purges come earlier by this. Type their number to confirm it."),
    "reveal_budget": _("You have seen as many values as an hour allows. Wait, then try again."),
    "nothing_sealed": _("No original is kept of this text."),
    "unknown_path": _("There is no text at this place."),
    "key_gone": _("The key that sealed it is not here any more."),
    "damaged": _("The seal does not open: it was changed, or belongs elsewhere."),
    "unknown_format": _("The seal does not open: it was changed, or belongs elsewhere."),
    "pii_rejected": _("This holds personal data, which may not stand here."),
    "exists": _("There is one like it already."),
    "invalid_label": _("A label has 1 to 256 bytes."),
    "not_visible": _("It is out of use already."),
    "not_hidden": _("It is in use."),
    "hidden_by_cap": _("A cap ended its use; a cap cannot be undone."),
    "hidden_by_erasure": _("It was erased."),
    "hidden_by_restriction": _("Its use is restricted by a request."),
    "key_taken": _("Another memory has its key now."),
    "quarantined": _("It is quarantined: decide about it there."),
    "second_factor_required": _("Show your second factor first."),
    "invalid_cursor": _("The list changed. Start again from its beginning."),
}


def say_fault(code: str, detail: str = "") -> Text:
    """A fault in the person's language; the English detail where no words are known for it."""
    return FAULTS.get(code, detail or code)


def faults_of(error: Invalid) -> dict[str, Text]:
    """The faults of a form by field (the first part of their path)."""
    found: dict[str, Text] = {}
    for fault in error.errors:
        field = fault.path.partition("[")[0].partition(".")[0]
        found.setdefault(field, say_fault(fault.code, fault.detail))
    return found


def show_failure(request: HttpRequest, error: HubError) -> HttpResponse:
    """The page of a failure, with its status."""
    known = BY_STATUS.get(error.status, BY_STATUS[500])
    context: dict[str, Any] = {
        "status": error.status,
        "failure": known,
        "fault": FAULTS.get(error.code),
        "code": error.code,
        "request_id": getattr(request, "request_id", ""),
    }
    if isinstance(error, Gone):
        context["tombstone"] = error.facts
        context["path"] = encode(error.facts["namespace"])
        return render(request, "hub/gone.html", context, status=410)
    return render(request, "hub/failed.html", context, status=error.status)
