import { api, ifMatch, likePath, unwrap, type Schema } from '../api/client';

export type Contact = Schema['ContactResponse'];
export type ContactBody = Schema['EditContactBody'];

/** Whose contacts and rules: an account's, or with null those of the installation. */
export type Owner = string | null;

const OF_INSTALLATION = '/admin/contacts';
const OF_ACCOUNT = likePath(OF_INSTALLATION, '/admin/accounts/{account_id}/contacts');

export const contactsKey = (owner: Owner) => ['contacts', owner];

const of = (owner: Owner) =>
  [owner === null ? OF_INSTALLATION : OF_ACCOUNT, { path: { account_id: owner } } as object] as const;

const one = (contact: Contact) => {
  const { account_id, id: contact_id } = contact;
  const params = { path: { account_id, contact_id }, header: ifMatch(contact) };
  return [`${of(account_id)[0]}/{contact_id}`, params] as const;
};

export async function listContacts(owner: Owner): Promise<Schema['ContactsResponse']> {
  const [at, params] = of(owner);
  return unwrap(api.GET(at, { params }));
}

export async function addContact(owner: Owner, body: Schema['CreateContactBody']): Promise<Contact> {
  const [at, params] = of(owner);
  return unwrap(api.POST(at, { params, body }));
}

export async function editContact(contact: Contact, body: ContactBody): Promise<Contact> {
  const [at, params] = one(contact);
  return unwrap(api.PATCH(at, { params, body }));
}

export async function removeContact(contact: Contact, reason: string): Promise<unknown> {
  const [at, params] = one(contact);
  return unwrap(api.DELETE(at, { params, body: { reason } }));
}

export async function testContact(contact: Contact, reason: string): Promise<unknown> {
  const [at, { path }] = one(contact);
  return unwrap(api.POST(`${at}/test`, { params: { path }, body: { reason } }));
}
