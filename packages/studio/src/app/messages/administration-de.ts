import type { administrationEn } from './administration-en.ts'

/** The German texts of the administration pages. */
export const administrationDe: typeof administrationEn = {
  invitations: {
    title: 'Einladungen',
    invite: 'Person einladen',
    makeLink: 'Link erstellen',
    lifetime: 'Gültig für',
    days: (count) => (count === 1 ? '1 Tag' : `${count} Tage`),
    created: 'Die Einladung ist bereit',
    createdText: (email) =>
      `Senden Sie diesen Link an ${email}. Damit lässt sich ein Konto erstellen. Der Link wird nur einmal angezeigt.`,
    copyLink: 'Link kopieren',
    none: 'Keine offenen Einladungen.',
    validUntil: (moment) => `gültig bis ${moment}`,
    withdraw: 'Zurückziehen',
    withdrawOne: (email) => `Einladung von ${email} zurückziehen`,
    withdrawn: (email) => `Die Einladung von ${email} wurde zurückgezogen`,
  },
  tokens: {
    create: 'Token erstellen',
    created: 'Das Token wurde erstellt',
    createdText: 'Geben Sie es auf sicherem Weg an das Programm weiter. Es wird nur einmal angezeigt.',
    copy: 'Token kopieren',
    none: 'Noch keine Token',
    noneText: 'Programme, die Entwürfe lesen oder Inhalte schreiben, melden sich mit einem Token an.',
    name: 'Name',
    nameText: 'Der Name des Programms, zum Beispiel „Website-Build“.',
    nameTaken:
      'Dieser Name wird bereits von einem anderen Token verwendet. Widerrufen Sie dieses zuerst, oder wählen Sie einen anderen Namen.',
    purpose: 'Berechtigungen',
    purposes: {
      read: 'Alles lesen, auch Entwürfe',
      some: 'Bestimmte Sammlungen',
      export: 'Alle Inhalte exportieren',
      all: 'Alles, was die Zugriffsregeln für Programme erlauben',
    },
    actions: { read: 'lesen', create: 'erstellen', update: 'ändern', delete: 'löschen' },
    forever: 'gültig bis zum Widerruf',
    unused: 'nie verwendet',
    used: (ago) => `verwendet ${ago}`,
    expired: 'abgelaufen',
    revoke: 'Widerrufen',
    revokeOne: (name) => `${name} widerrufen`,
    revokeTitle: (name) => `${name} widerrufen?`,
    revokeText: 'Programme können dieses Token dann nicht mehr verwenden. Das lässt sich nicht rückgängig machen.',
    revoked: (name) => `${name} wurde widerrufen`,
  },
  accounts: {
    search: 'Nach E-Mail-Adresse suchen',
    create: 'Konto erstellen',
    created: 'Das Konto wurde erstellt',
    createdText: (email) => `Senden Sie dieses Passwort auf sicherem Weg an ${email}. Es wird nur einmal angezeigt.`,
    copyPassword: 'Passwort kopieren',
    newPassword: 'Neues Passwort',
    newPasswordOf: (name) => `Neues Passwort für ${name}`,
    newPasswordText: 'Alle Sitzungen des Kontos enden. Das neue Passwort ist zufällig und wird nur einmal angezeigt.',
    passwordReset: 'Das Passwort wurde ersetzt',
    addressTaken: 'Diese Adresse wird bereits von einem anderen Konto verwendet.',
    noneFound: 'Kein Konto hat diese Adresse.',
    isBanned: 'gesperrt',
    noRoles: 'keine Rollen',
    roles: 'Rollen',
    rolesOf: (name) => `Rollen von ${name}`,
    rolesText:
      'Durch Kommas getrennt. „admin“ verwaltet Konten. Was andere Rollen dürfen, legt die Konfiguration fest.',
    ban: 'Sperren',
    banOne: (name) => `${name} sperren`,
    banTitle: (name) => `${name} sperren?`,
    banText:
      'Alle Sitzungen des Kontos enden, und eine Anmeldung ist nicht mehr möglich. Die Inhalte der Person bleiben erhalten.',
    banned: (name) => `${name} wurde gesperrt`,
    unban: 'Entsperren',
    unbanOne: (name) => `${name} entsperren`,
    unbanned: (name) => `${name} kann sich wieder anmelden`,
  },
  roles: {
    text: 'Was eine Rolle darf, legt die Konfiguration in ihren Zugriffsregeln fest. Das sind die Rollen, die Konten haben.',
    accounts: (count) => (count === 1 ? '1 Konto' : `${count} Konten`),
    first: (count) => `Nur die neuesten ${count} Konten werden angezeigt.`,
    change: 'Rollen auf der Seite der Konten ändern',
    known: 'Verwendete Rollen',
  },
  profile: {
    saved: 'Gespeichert',
    nameText: 'Andere sehen ihn bei Ihren Änderungen.',
    appearance: 'Darstellung',
    changePassword: 'Passwort ändern',
    currentPassword: 'Aktuelles Passwort',
    newPassword: 'Neues Passwort',
    newPasswordText: 'Mindestens 8 Zeichen. Ihre Sitzungen auf anderen Geräten enden.',
    passwordChanged: 'Ihr Passwort wurde geändert',
    passwordRefused: 'Das aktuelle Passwort ist falsch, oder das neue hat weniger als 8 oder mehr als 128 Zeichen.',
    sessions: 'Sitzungen',
    otherSessions: (count) =>
      count === 0
        ? 'Sie sind nur hier angemeldet.'
        : count === 1
          ? 'Sie sind noch in einem anderen Browser angemeldet.'
          : `Sie sind noch in ${count} anderen Browsern angemeldet.`,
    endOthers: 'Überall sonst abmelden',
    sessionsEnded: 'Sie sind jetzt nur noch hier angemeldet',
  },
  audit: {
    filters: 'Filter',
    any: 'Alle',
    person: 'Person',
    collection: 'Sammlung',
    action: 'Aktion',
    from: 'Von',
    until: 'Bis',
    clear: 'Zurücksetzen',
    none: 'Keine passenden Änderungen.',
    older: 'Ältere Änderungen anzeigen',
    history: (seq) => `Verlauf (Änderung ${seq})`,
    undo: 'Rückgängig machen',
    undoOne: (seq) => `Änderung ${seq} rückgängig machen`,
    undoTitle: (seq) => `Änderung ${seq} rückgängig machen?`,
    scope: 'Änderungen',
    scopes: {
      one: 'Nur diese Änderung',
      actor: (name) => `Alle Änderungen seit dieser von: ${name}`,
      all: 'Alle Änderungen seit dieser',
    },
    preview: (count, blocked) =>
      [
        count === 0
          ? 'Nichts kann rückgängig gemacht werden.'
          : count === 1
            ? '1 Dokument ändert sich.'
            : `${count} Dokumente ändern sich.`,
        blocked > 0 &&
          (blocked === 1
            ? '1 Dokument bleibt, wie es ist: Es wurde seitdem geändert, oder Sie dürfen es nicht ändern.'
            : `${blocked} Dokumente bleiben, wie sie sind: Sie wurden seitdem geändert, oder Sie dürfen sie nicht ändern.`),
      ]
        .filter(Boolean)
        .join(' '),
    undone: (count) =>
      count === 1 ? 'Änderung rückgängig gemacht' : `Änderungen in ${count} Dokumenten rückgängig gemacht`,
  },
  settings: {
    text: 'Diese Einstellungen legt die Konfiguration des Dienstes fest. Geändert werden sie in daybook.config.ts.',
    forOperators: 'Die Einstellungen des Dienstes sehen nur Administratoren.',
    title: 'Titel',
    version: 'Version von Daybook',
    database: 'Datenbank',
    databases: {
      sqlite: 'SQLite, eine Datei im Datenordner',
      other: 'PostgreSQL oder eine andere, die die Konfiguration nennt',
    },
    storage: 'Dateien',
    storages: { folder: 'Im Datenordner', other: 'In einem Speicher, den die Konfiguration nennt, etwa S3' },
    locales: 'Sprachen der Inhalte',
    oneLocale: 'Eine',
    plugins: 'Plugins',
    none: 'Keine',
    auth: 'Konten',
    signIn: 'Anmeldung',
    registers: 'Mit E-Mail-Adresse und Passwort; neue Konten sind möglich',
    signsIn: 'Mit E-Mail-Adresse und Passwort; Konten erstellt die Verwaltung',
    elsewhere: 'Anderswo oder mit einem Token',
    retention: 'Frühere Versionen',
    kept: (versions, days) =>
      versions === null && days === null
        ? 'Werden immer aufbewahrt'
        : [versions !== null && `die letzten ${versions}`, days !== null && `${days} Tage lang`]
            .filter(Boolean)
            .join(', '),
  },
  webhooks: {
    none: 'Keine Endpunkte',
    noneText: 'Endpunkte werden in der Konfiguration festgelegt.',
    state: (behind, pending, parked) =>
      [
        behind === 0
          ? 'Auf dem neuesten Stand'
          : behind === 1
            ? '1 Änderung im Rückstand'
            : `${behind} Änderungen im Rückstand`,
        pending > 0 && (pending === 1 ? '1 Zustellung wird wiederholt' : `${pending} Zustellungen werden wiederholt`),
        parked > 0 && (parked === 1 ? '1 Zustellung fehlgeschlagen' : `${parked} Zustellungen fehlgeschlagen`),
      ]
        .filter(Boolean)
        .join(' · '),
    states: { parked: 'Fehlgeschlagen', pending: 'Wird automatisch wiederholt' },
    attempts: (count) => (count === 1 ? '1 Versuch' : `${count} Versuche`),
    failed: (moment) => `fehlgeschlagen ${moment}`,
    due: (moment) => `nächster Versuch ${moment}`,
    replay: 'Erneut senden',
    replayOne: (seq) => `Erneut senden: Änderung ${seq}`,
    replayParked: 'Alle fehlgeschlagenen erneut senden',
    replayed: 'Wird in Kürze erneut gesendet',
  },
  metrics: {
    title: 'Anfragen und Antwortzeiten',
    process: (name, since) => `Prozess ${name}, Zählung seit ${since}. Jeder Prozess zählt seine eigenen Anfragen.`,
    requests: 'Anfragen pro Minute',
    requestsInAll: (requests, failures) => `Anfragen in der letzten Stunde: ${requests}. Fehlgeschlagen: ${failures}.`,
    latency: 'Antwortzeit in Millisekunden',
    latencyNow: (median, p95) => `Letzte Minute mit Anfragen: Median ${median} ms, 95. Perzentil ${p95} ms`,
    latencyNone: 'Keine Anfragen in der letzten Stunde',
    failed: 'Fehlgeschlagen',
    median: 'Median',
    p95: '95. Perzentil',
    table: 'Als Tabelle anzeigen',
    time: 'Zeit',
    count: 'Anfragen',
    medianMs: 'Median (ms)',
    p95Ms: '95. Perzentil (ms)',
  },
}
