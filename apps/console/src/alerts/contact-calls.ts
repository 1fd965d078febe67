import { api, ifMatch, unwrap, type Schema } from '../api/client';

export type Contact = Schema['ContactResponse'];
export type ContactBody = Schema['EditContactBody'];

/** Whose contacts and rules: an account's, or with null those of the installation. */
export type Owner = string | null;

const OF_ACCOUNT = '/admin/accounts/{account_id}/contacts';
const OF_INSTALLATION = '/admin/contacts';

export const contactsKey = (owner: Owner) => ['contacts', owner];

export async function listContacts(owner: Owner): Promise<Schema['ContactsResponse']> {
  if (owner === null) return unwrap(api.GET(OF_INSTALLATION));
  return unwrap(api.GET(OF_ACCOUNT, { params: { path: { account_id: owner } } }));
}

export async function addContact(owner: Owner, body: Schema['CreateContactBody']): Promise<Contact> {
  if (owner === null) return unwrap(api.POST(OF_INSTALLATION, { body }));
  return unwrap(api.POST(OF_ACCOUNT, { params: { path: { account_id: owner } }, body }));
}

export async function editContact(contact: Contact, body: ContactBody): Promise<Contact> {
  const { account_id, id: contact_id } = contact;
  const header = ifMatch(contact);
  if (account_id === null) {
    const params = { path: { contact_id }, header };
    return unwrap(api.PATCH(`${OF_INSTALLATION}/{contact_id}`, { params, body }));
  }
  const params = { path: { account_id, contact_id }, header };
  return unwrap(api.PATCH(`${OF_ACCOUNT}/{contact_id}`, { params, body }));
}

export async function removeContact(contact: Contact, reason: string): Promise<unknown> {
  const { account_id, id: contact_id } = contact;
  const [header, body] = [ifMatch(contact), { reason }];
  if (account_id === null) {
    const params = { path: { contact_id }, header };
    return unwrap(api.DELETE(`${OF_INSTALLATION}/{contact_id}`, { params, body }));
  }
  const params = { path: { account_id, contact_id }, header };
  return unwrap(api.DELETE(`${OF_ACCOUNT}/{contact_id}`, { params, body }));
}

export async function testContact({ account_id, id: contact_id }: Contact, reason: string): Promise<unknown> {
  const body = { reason };
  if (account_id === null) {
    const params = { path: { contact_id } };
    return unwrap(api.POST(`${OF_INSTALLATION}/{contact_id}/test`, { params, body }));
  }
  const params = { path: { account_id, contact_id } };
  return unwrap(api.POST(`${OF_ACCOUNT}/{contact_id}/test`, { params, body }));
}
