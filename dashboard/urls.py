"""The dashboard's addresses, one explicit line each. The table of permissions names them all."""

from allauth.account import views as account_views
from allauth.mfa.base import views as factor_views
from allauth.mfa.recovery_codes import views as code_views
from django.urls import path

from dashboard.views import (
    account,
    audit,
    drafting,
    enforcing,
    engine,
    keys,
    memories,
    overview,
    people,
    privacy,
    retention,
    settings,
)

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("memories", memories.memories, name="memories"),
    path("memories/<uuid:memory_id>", memories.memory, name="memory"),
    path("privacy", privacy.privacy, name="privacy"),
    path("privacy/detectors", privacy.detectors, name="detectors"),
    path("privacy/<uuid:memory_id>", privacy.quarantined, name="quarantined"),
    path("retention", retention.retention, name="retention"),
    path("retention/versions", retention.rule_versions, name="rule_versions"),
    path("retention/drafts", drafting.new_draft, name="new_draft"),
    path("retention/<int:n>", retention.rule_version, name="rule_version"),
    path("retention/<int:n>/note", drafting.write_note, name="write_note"),
    path("retention/<int:n>/difference", retention.rule_difference, name="rule_difference"),
    path("retention/<int:n>/rules.yaml", retention.rule_document, name="rule_document"),
    path("retention/<int:n>/text", drafting.edit_document, name="edit_document"),
    path("retention/<int:n>/examples", drafting.edit_cases, name="edit_cases"),
    path("retention/<int:n>/rules/<slug:place>", drafting.edit_rule, name="edit_rule"),
    path("retention/<int:n>/rules/<slug:place>/says", drafting.preview_rule, name="preview_rule"),
    path("retention/<int:n>/arrange/<int:place>", drafting.arrange_rule, name="arrange_rule"),
    path("retention/<int:n>/simulation", enforcing.simulation, name="simulation"),
    path("retention/<int:n>/simulate", enforcing.begin_simulation, name="begin_simulation"),
    path("retention/<int:n>/cancel", enforcing.end_simulation, name="end_simulation"),
    path("retention/<int:n>/approve", enforcing.approve, name="approve_rules"),
    path("retention/<int:n>/activate", enforcing.activate, name="activate_rules"),
    path("retention/<int:n>/drop", drafting.drop_draft, name="drop_draft"),
    path("audit", audit.audit, name="audit"),
    path("audit/<uuid:event_id>", audit.event, name="event"),
    path("access", people.members, name="members"),
    path("access/invite", people.invite, name="invite"),
    path("access/<uuid:member_id>", people.member, name="member"),
    path("access/<uuid:member_id>/remove", people.remove, name="remove_member"),
    path("access/<uuid:member_id>/link", people.renew, name="renew_invitation"),
    path("access/keys", keys.keys, name="keys"),
    path("access/keys/new", keys.new_key, name="new_key"),
    path("access/keys/<slug:key_id>/revoke", keys.revoke, name="revoke_key"),
    path("settings", settings.settings, name="settings"),
    path("settings/engine", engine.engine, name="engine"),
    path("settings/sweeps", settings.sweeps, name="sweeps"),
    path("settings/sweeps/now", settings.sweep, name="sweep_now"),
    path("settings/sweeps/<uuid:scope_id>", settings.sweep_scope, name="sweep_scope"),
    path(
        "settings/sweeps/<uuid:scope_id>/remove", settings.drop_sweep_scope, name="drop_sweep_scope"
    ),
    path("tenants", account.tenants, name="tenants"),
    path("tenants/<slug:slug>", account.enter, name="enter_tenant"),
    path("preferences", account.preferences, name="preferences"),
    path("styleguide", account.styleguide, name="styleguide"),
    path("invitations/<str:token>", account.invitation, name="invitation"),
    # one's own account; the names are those that django-allauth looks up
    path("account", account.account, name="account"),
    path("account/sessions/<int:session_id>/end", account.end_own_session, name="end_session"),
    path("account/password", account_views.password_change, name="account_change_password"),
    path("account/confirm", account_views.reauthenticate, name="account_reauthenticate"),
    path("account/confirm/code", factor_views.reauthenticate, name="mfa_reauthenticate"),
    path("account/factor", account.account, name="mfa_index"),
    path("account/factor/new", account.ActivateFactor.as_view(), name="mfa_activate_totp"),
    path("account/factor/end", account.DeactivateFactor.as_view(), name="mfa_deactivate_totp"),
    path("account/codes", code_views.view_recovery_codes, name="mfa_view_recovery_codes"),
    path("account/codes/new", account.NewCodes.as_view(), name="mfa_generate_recovery_codes"),
    path(
        "account/codes/file", code_views.download_recovery_codes, name="mfa_download_recovery_codes"
    ),
    path("signin", account.sign_in, name="account_login"),
    path("signin/code", factor_views.authenticate, name="mfa_authenticate"),
    path("signout", account.sign_out, name="account_logout"),
]
