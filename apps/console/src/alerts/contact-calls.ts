import { api, likePath, type Schema } from '../api/client';

export type Contact = Schema['ContactResponse'];
export type ContactBody = Schema['EditContactBody'];

/** Whose contacts and rules: an account's, or with null those of the installation. */
export type Owner = string | null;

const OF_INSTALLATION = '/admin/contacts';
const OF_ACCOUNT = likePath(OF_INSTALLATION, '/admin/accounts/{account_id}/contacts');

export const contactsKey = (owner: Owner) => ['contacts', owner];

const of = (owner: Owner) => [owner === null ? OF_INSTALLATION : OF_ACCOUNT, { account_id: owner }] as const;

const one = (contact: Contact) => {
  const { account_id, id: contact_id } = contact;
  const params = { account_id, contact_id };
  return [`${of(account_id)[0]}/{contact_id}`, params] as const;
};

export async function listContacts(owner: Owner): Promise<Schema['ContactsResponse']> {
  const [at, params] = of(owner);
  return api.GET(at, params);
}

export async function addContact(owner: Owner, body: Schema['CreateContactBody']): Promise<Contact> {
  const [at, params] = of(owner);
  return api.POST(at, params, body);
}

export async function editContact(contact: Contact, body: ContactBody): Promise<Contact> {
  const [at, params] = one(contact);
  return api.PATCH(at, params, body, contact);
}

export async function removeContact(contact: Contact, reason: string): Promise<unknown> {
  const [at, params] = one(contact);
  return api.DELETE(at, params, { reason }, contact);
}

export async function testContact(contact: Contact, reason: string): Promise<unknown> {
  const [at, params] = one(contact);
  return api.POST(`${at}/test`, params, { reason });
}
