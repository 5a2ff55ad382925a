import { screen } from '../../shell/screen.js';

export const peopleScreens = [
  screen('/people', async () => ({ Screen: (await import('./PeopleList.js')).PeopleList })),
  screen('/people/new/$type', async () => ({ Screen: (await import('./NewUser.js')).NewUser })),
  screen('/people/$type/$id', async () => ({ Screen: (await import('./UserDetail.js')).UserDetail })),
];
