import { alias, restricted, screen } from '../../shell/screen.js';

export const peopleScreens = [
  screen('/people', async () => ({ Screen: (await import('./PeopleList.js')).PeopleList })),
  alias('/people/$type', '/people'),
  alias('/people/new', '/people/new/organization'),
  restricted('/people/new/$type', 'ADMIN', async () => ({ Screen: (await import('./NewUser.js')).NewUser })),
  screen('/people/$type/$id', async () => ({ Screen: (await import('./UserDetail.js')).UserDetail })),
];
