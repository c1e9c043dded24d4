"""The application's rights on django-allauth's tables: accounts, second factors, sessions."""

from django.db import migrations

from tenants.rls import GrantToApp

ALLAUTH_TABLES = ('account_emailaddress', 'account_emailconfirmation', 'mfa_authenticator', 'usersessions_usersession')


class Migration(migrations.Migration):

    dependencies = [
        ('memoryhub', '0001_grants'),
        ('account', '0009_emailaddress_unique_primary_email'),
        ('mfa', '0003_authenticator_type_uniq'),
        ('usersessions', '0001_initial'),
    ]

    operations = [GrantToApp(table) for table in ALLAUTH_TABLES]
