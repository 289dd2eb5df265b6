/** A command line that cannot be carried out: said without a stack, exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Text of `daybook --help`. */
export const HELP = `daybook: a headless content service

  daybook start                       serve, as in production
  daybook dev                         serve, with a readable log; restarts when the config changes
  daybook import DIR --collection KEY bring in a folder of Markdown and MDX files
  daybook import FILE                 restore an export into an empty service
  daybook update COLLECTION           change every entry that matches
  daybook delete COLLECTION           delete every entry that matches
  daybook undo --from SEQ             undo changes of the journal by new ones
  daybook erase COLLECTION ID         erase the former versions of an entry, or of a global: daybook erase globals KEY
  daybook export FILE                 write all content to a file; - for standard output
  daybook backup DIR                  save the database and the files of assets in a folder, while the service runs
  daybook restore DIR                 bring a backup into an empty data folder
  daybook copy --from A --to B        copy a whole store, such as from SQLite to PostgreSQL
  daybook user ACT EMAIL              accounts: create, role, password, ban, unban, invite; daybook user list
  daybook token ACT NAME              tokens of programs: create, revoke; daybook token list
  daybook openapi                     print the OpenAPI document; > openapi.json keeps it
  daybook plugins                     say what each plugin of the config contributes
  daybook webhooks ACT                deliveries of webhooks: list, replay ENDPOINT
  daybook migrate                     show what a changed config and migrations do to stored content

Every command takes
  --config FILE     the config (default: daybook.config.ts, .js or .mjs in this folder)
  --data DIR        where the database is (default: .daybook; DAYBOOK_DATA)
  --help, --version

start and dev take
  --port N          0 picks a free one (default: 3000; PORT)
  --host HOST       the address to listen on (default: 127.0.0.1; HOST)
  --metrics-port N  serve metrics for Prometheus there, at /metrics; 0 picks a free one
  --metrics-host HOST
                    the address for metrics (default: 127.0.0.1)
  --log LEVEL       silent, error, warn or info, which writes a line for each request (default: info; DAYBOOK_LOG)

start takes
  --workers N       serve in N processes on one port; auto: one for each core (DAYBOOK_WORKERS)

import DIR takes
  --collection KEY  the collection to fill
  --map KEY=FIELD   a front-matter key goes to a field of another name; may stand more than once
  --set FIELD=VALUE every entry gets this value, such as status=published; may stand more than once
  --key FIELD       the field that tells whether an entry is there already (default: the slug)
  --body FIELD      the field that the text goes to (default: body, or the only markdown field)
  --locale-folders  DIR has one folder for each locale; files at the same place are one entry
  --dry-run         say what would happen, and store nothing

import FILE takes
  --files DIR       bring the files of the assets from there, as export --files wrote them

update and delete take
  --where CONDITION FIELD=VALUE or FIELD[OPERATOR]=VALUE; needed, may stand more than once
  --q WORDS         words that must all be found
  --status STATUS   with this status alone; several separated by commas
  --dry-run         say what would happen, and store nothing

update takes one of
  --set FIELD=VALUE the new value of a field, null to empty it; may stand more than once
  --json JSON       what changes, as a JSON merge patch
and
  --locale LOCALE   the locale that is written (default: the config's)

undo takes
  --from SEQ        the number of the first change; needed
  --to SEQ          the number of the last change (default: the last one that there is)
  --actor SUBJECT   only the changes of this actor
  --dry-run         say what would happen, and store nothing

erase takes
  --yes             do it; without it, the command says what it would erase

export takes
  --since SEQ       only what changed after this number of the journal, deletions included
  --without-people  leave out who made and last changed documents
  --files DIR       write the files of the assets there, each once, named by their digests

backup takes
  --files-only      back up the files of the assets, and no database: for PostgreSQL

restore takes
  --files-only      bring back the files that the assets of the present database lack; a service may run
  --allow-missing   restore the database even if files are missing from the backup

copy takes
  --from ADDRESS    sqlite:FOLDER, sqlite:FILE or postgres://user:password@host:5432/database
  --to ADDRESS      the same, of an empty one
  --verify-only     compare the two, and copy nothing
or
  --files-from FILE copy the files of the assets, from the store of files of that other config to that of the config

user takes
  --name NAME       of a new account (default: what its address begins with)
  --role ROLE       of an account or an invitation; may stand more than once (default: user)
  --password-stdin  read the password from standard input, instead of making one up
  --days N          how long an invitation lasts (default: 7)

token create takes
  --scope SCOPE     what it is for: posts:update, posts:*, '*:read', globals.site:update, export, or '*' for everything;
                    may stand more than once
  --role ROLE       for access rules; may stand more than once (default: service)
  --days N          how long it lasts (default: until it is revoked)

openapi takes
  --all             also what only a session sees (default: what everyone may know)

webhooks list takes
  --endpoint NAME   one endpoint alone
  --pending         the deliveries that have failed and are tried again
  --parked          the deliveries that are tried no more by themselves
  --json            JSON, for programs

webhooks replay ENDPOINT takes one of
  --seq N           the change with this number of the journal
  --from N, --to N  the changes from one number to another; without --to, to the last one
  --parked          what is parked

migrate takes
  --apply           do it
  --allow-loss      also what loses stored values
  --dry-run         try fills and migrations out, and store nothing
  --list FIELD      list the entries whose value the config refuses, such as posts.summary
  --skip NAME       note that a migration need not run here; may stand more than once

Environment, also from a file .env beside the config
  DAYBOOK_SERVICE_TOKEN   the token of the service principal, at least 32 characters
`
