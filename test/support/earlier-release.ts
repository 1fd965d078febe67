/** The migrations before the first one of this release, in order. */
export const EARLIER_MIGRATIONS = `
  InitialSchema1797000000000 SpeechHistory1797000001000 VoiceRecordings1797000002000 Workspace1797000003000
  SharedVoices1797000004000 AccountManager1797000005000 BulkKeyChanges1797000007000 FindAnything1797000009000
  Passkeys1797000010000 ContactsAndAlerts1797000012000 KeySafety1797000013000 UndoOfKeySettings1797000013100
  KeysAsCode1797000014000 AuditStream1797000014100 ReviewTurns1797000015000 ReviewDesk1797000016000 ReviewHolds1797000016050
  QueueTimes1797000016060 VoiceSafety1797000016100 BulkKeyEdits1797100010000 TagsAndExternalIds1797100010100
  Approvals1797100020000 AccountAllowLists1797100021000 KeyPolicies1797100030000 NewCountries1797100031000
  ReviewAppeals1797100040000 SecondListening1797100041000 DeskDecisions1797100042000 Screening1797100043000
  Timers1797100050000 QuietWorkers1797100050100 ApiLoad1797100050200 SameRecordings1797100060000 VoiceTags1797100070000
  NarrowLedger1797200000000 Speakers1797230000000 AllowListPresets1797240000000 KeyRequests1797250000000
  GrantedRequests1797260000000 DueMessages1797270000000 NoGoFingerprints1797280000000 OneWritingOfAddresses1797291000000
  VoiceOrigins1797291100000 CreditsLeft1797300000000 PlainTexts1797300010000 DeliveredMessages1797300020000
  MeasuredSamples1797310000000 QueueOrders1797310010000 ReviewTurnsOfSamples1797310020000 EndpointsThatAreGone1797310030000
  ChangesByPolicies1797320000000
`
  .trim()
  .split(/\s+/);

/** Lists these migrations in a database. */
export const listMigrations = (migrations: string[]) => `
TRUNCATE migration;
INSERT INTO migration (timestamp, name)
  SELECT right(name, 13)::bigint, name FROM unnest(ARRAY['${migrations.join("', '")}']) AS name;
`;

/** Makes a database what a release left that did not have the last of them: the same tables, but for the name of a column. */
export const MAKE_EARLIER = `
ALTER TABLE key_undo RENAME COLUMN subject_id TO key_id;
${listMigrations(EARLIER_MIGRATIONS.slice(0, -1))}`;

/** Everything that a change of a database's schema, rights or list of migrations would alter. */
export const FINGERPRINT = `
SELECT md5(string_agg(t.item, ';' ORDER BY t.item)) AS fingerprint FROM (
  SELECT 'class ' || c.oid || ' ' || c.relfilenode || ' ' || coalesce(c.relacl::text, '') FROM pg_class c
  UNION ALL SELECT 'function ' || p.oid || ' ' || p.xmin FROM pg_proc p
  UNION ALL SELECT 'trigger ' || g.oid || ' ' || g.xmin FROM pg_trigger g
  UNION ALL SELECT 'schema ' || n.oid || ' ' || n.xmin FROM pg_namespace n
  UNION ALL SELECT 'migration ' || m.xmin || ' ' || m.name FROM migration m
) AS t (item)`;
