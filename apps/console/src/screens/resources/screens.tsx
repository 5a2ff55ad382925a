import { NewResource } from './NewResource.js';
import { ResourceDetail } from './ResourceDetail.js';
import { ResourceList } from './ResourceList.js';
import { dashboards, visuals } from './kind.js';

export const DashboardList = () => <ResourceList kind={dashboards} />;
export const NewDashboard = () => <NewResource kind={dashboards} />;
export const DashboardDetail = () => <ResourceDetail kind={dashboards} />;
export const VisualList = () => <ResourceList kind={visuals} />;
export const NewVisual = () => <NewResource kind={visuals} />;
export const VisualDetail = () => <ResourceDetail kind={visuals} />;
