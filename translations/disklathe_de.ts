<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>disklathe::ui::AlignmentPicture</name>
    <message>
        <source>Alignment of the partitions</source>
        <translation>Ausrichtung der Partitionen</translation>
    </message>
    <message>
        <source>%1 begins at byte %2, a multiple of %3</source>
        <translation>%1 beginnt bei Byte %2, einem Vielfachen von %3</translation>
    </message>
    <message>
        <source>%1 begins %2 inside a physical block: move its start by %3</source>
        <translation>%1 beginnt %2 innerhalb eines physischen Blocks: Anfang um %3 verschieben</translation>
    </message>
    <message>
        <source>Partition</source>
        <translation>Partition</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>Multiple of</source>
        <translation>Vielfaches von</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Urteil</translation>
    </message>
    <message>
        <source>physical block</source>
        <translation>physischer Block</translation>
    </message>
    <message>
        <source>move start by %1</source>
        <translation>Anfang um %1 verschieben</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::AllocationMap</name>
    <message>
        <source>Data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>Compressed</source>
        <translation>Komprimiert</translation>
    </message>
    <message>
        <source>From backing file</source>
        <translation>Aus der Basisdatei</translation>
    </message>
    <message>
        <source>Zero</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>Hole</source>
        <translation>Lücke</translation>
    </message>
    <message>
        <source>Encrypted</source>
        <translation>Verschlüsselt</translation>
    </message>
    <message>
        <source>Unreadable</source>
        <translation>Unlesbar</translation>
    </message>
    <message>
        <source>Contents map</source>
        <translation>Belegung</translation>
    </message>
    <message>
        <source>%1 from %2</source>
        <comment>size, offset</comment>
        <translation>%1 ab %2</translation>
    </message>
    <message>
        <source>not looked at yet</source>
        <translation>noch nicht untersucht</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 und %2</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>Ebene %1</translation>
    </message>
    <message>
        <source>host offset %1</source>
        <translation>Stelle in der Datei %1</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>weicht ab</translation>
    </message>
    <message>
        <source>verified</source>
        <translation>geprüft</translation>
    </message>
    <message>
        <source>written</source>
        <translation>geschrieben</translation>
    </message>
    <message>
        <source>not written yet</source>
        <translation>noch nicht geschrieben</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Host offset</source>
        <translation>Stelle in der Datei</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>In a partition</source>
        <translation>In einer Partition</translation>
    </message>
    <message>
        <source>read by a client</source>
        <translation>von einem Client gelesen</translation>
    </message>
    <message>
        <source>not read yet</source>
        <translation>noch nicht gelesen</translation>
    </message>
    <message>
        <source>not touched</source>
        <translation>nicht berührt</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::BeforeAfter</name>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>After</source>
        <translation>Danach</translation>
    </message>
    <message>
        <source>The device before and after</source>
        <translation>Das Gerät vorher und nachher</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>partition or label, what is on it</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1, %2, %3</source>
        <translation>%1, %2, %3</translation>
    </message>
    <message>
        <source>lost</source>
        <translation>geht verloren</translation>
    </message>
    <message>
        <source>in no partition afterwards</source>
        <translation>danach in keiner Partition</translation>
    </message>
    <message>
        <source>When</source>
        <translation>Wann</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>old bytes, in no partition</source>
        <translation>alte Bytes, in keiner Partition</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1 past the image&apos;s end keep their old bytes, in no partition</source>
        <translation>%1 hinter dem Ende des Abbilds behalten ihre alten Bytes, in keiner Partition</translation>
    </message>
    <message>
        <source>%1, scale broken</source>
        <translation>%1, Maßstab unterbrochen</translation>
    </message>
    <message>
        <source>%1 keep their old bytes</source>
        <translation>%1 behalten ihre alten Bytes</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ClosingDialog</name>
    <message>
        <source>Jobs are running</source>
        <translation>Aufträge laufen noch</translation>
    </message>
    <message numerus="yes">
        <source>%n job(s) not done yet. Close the window?</source>
        <translation>
            <numerusform>%n Auftrag ist noch nicht fertig. Fenster schließen?</numerusform>
            <numerusform>%n Aufträge sind noch nicht fertig. Fenster schließen?</numerusform>
        </translation>
    </message>
    <message>
        <source>&amp;Keep Running</source>
        <translation>&amp;Weiterlaufen lassen</translation>
    </message>
    <message>
        <source>%1 is served: who reads it loses it when it stops.</source>
        <translation>%1 wird bereitgestellt: Wer es liest, verliert es beim Anhalten.</translation>
    </message>
    <message>
        <source>They go on without a window. A notification tells when they end; the next start shows what still runs.</source>
        <translation>Sie laufen ohne Fenster weiter. Eine Benachrichtigung meldet ihr Ende; der nächste Start zeigt, was noch läuft.</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ComparePage</name>
    <message>
        <source>Compare &amp;with</source>
        <translation>Vergleichen &amp;mit</translation>
    </message>
    <message>
        <source>The other image</source>
        <translation>Das andere Abbild</translation>
    </message>
    <message>
        <source>Sizes must be equal</source>
        <translation>Größen müssen gleich sein</translation>
    </message>
    <message>
        <source>Otherwise zeroes after the end of the shorter one count as the same.</source>
        <translation>Sonst gelten Nullen nach dem Ende des kürzeren als gleich.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Choose an open image or a device</source>
        <translation>Geöffnetes Abbild oder Gerät wählen</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>device, kernel name</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>They hold the same bytes; the longer one ends in zeroes.</source>
        <translation>Sie enthalten dieselben Bytes; das längere endet mit Nullen.</translation>
    </message>
    <message>
        <source>Every byte of both disks is the same.</source>
        <translation>Jedes Byte beider Datenträger ist gleich.</translation>
    </message>
    <message>
        <source>%1 is the first offset of the disk that differs. The rest was not read.</source>
        <translation>%1 ist die erste Stelle des Datenträgers, die abweicht. Der Rest wurde nicht gelesen.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ContentsPage</name>
    <message>
        <source>not known yet</source>
        <translation>noch nicht bekannt</translation>
    </message>
    <message>
        <source>once decompressed</source>
        <translation>entpackt</translation>
    </message>
    <message>
        <source>seen by the guest</source>
        <translation>für den Gast</translation>
    </message>
    <message>
        <source>on disk</source>
        <translation>auf dem Datenträger</translation>
    </message>
    <message>
        <source>by its content</source>
        <translation>dem Inhalt nach</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>Ebenen</translation>
    </message>
    <message>
        <source>Its name says another format than its content: it is %1.</source>
        <translation>Der Name nennt ein anderes Format als der Inhalt: Es ist %1.</translation>
    </message>
    <message>
        <source>It is encrypted: its content cannot be shown or converted.</source>
        <translation>Es ist verschlüsselt: Der Inhalt kann weder gezeigt noch konvertiert werden.</translation>
    </message>
    <message>
        <source>It is compressed as a whole: what is in it shows only while it is converted.</source>
        <translation>Es ist als Ganzes komprimiert: Was darin ist, zeigt sich erst beim Konvertieren.</translation>
    </message>
    <message>
        <source>It stands on other files. They are opened once you allow it; then its contents show.</source>
        <translation>Es beruht auf anderen Dateien. Sie werden geöffnet, sobald Sie es erlauben; dann zeigt sich der Inhalt.</translation>
    </message>
    <message>
        <source>Reading the map.</source>
        <translation>Die Belegung wird gelesen.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ConversionFlow</name>
    <message>
        <source>%1, %2</source>
        <comment>size, format</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>It cannot be written</source>
        <translation>Es kann nicht beschrieben werden</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ConvertDialog</name>
    <message>
        <source>Convert %1</source>
        <translation>%1 konvertieren</translation>
    </message>
    <message>
        <source>%1 seen by the guest, %2 stored</source>
        <translation>%1 für den Gast, %2 gespeichert</translation>
    </message>
    <message>
        <source>%1 stored; its size shows at the end</source>
        <translation>%1 gespeichert; die Größe zeigt sich am Ende</translation>
    </message>
    <message>
        <source>To a file</source>
        <translation>In eine Datei</translation>
    </message>
    <message>
        <source>To a device</source>
        <translation>Auf ein Gerät</translation>
    </message>
    <message>
        <source>Where to</source>
        <translation>Wohin</translation>
    </message>
    <message>
        <source>&amp;Verify by reading it back</source>
        <translation>&amp;Durch Zurücklesen prüfen</translation>
    </message>
    <message>
        <source>C&amp;onvert</source>
        <translation>Kon&amp;vertieren</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Speichern unter</translation>
    </message>
    <message>
        <source>C&amp;hoose…</source>
        <translation>&amp;Auswählen…</translation>
    </message>
    <message>
        <source>&amp;Save as</source>
        <translation>&amp;Speichern unter</translation>
    </message>
    <message>
        <source>&amp;Format</source>
        <translation>&amp;Format</translation>
    </message>
    <message>
        <source>Co&amp;mpress: smaller, slower to write</source>
        <translation>Kom&amp;primieren: kleiner, langsamer zu schreiben</translation>
    </message>
    <message>
        <source>Save As</source>
        <translation>Speichern unter</translation>
    </message>
    <message>
        <source>That is the image itself. Choose another name.</source>
        <translation>Das ist das Abbild selbst. Wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>There is no such folder.</source>
        <translation>Diesen Ordner gibt es nicht.</translation>
    </message>
    <message>
        <source>Replaces the file of that name, once the new one is complete.</source>
        <translation>Ersetzt die Datei dieses Namens, sobald die neue vollständig ist.</translation>
    </message>
    <message>
        <source>A new file. It appears under this name only once it is complete.</source>
        <translation>Eine neue Datei. Unter diesem Namen erscheint sie erst, wenn sie vollständig ist.</translation>
    </message>
    <message>
        <source>C&amp;ontinue…</source>
        <translation>&amp;Weiter…</translation>
    </message>
    <message>
        <source>Write %1 to a device</source>
        <translation>%1 auf ein Gerät schreiben</translation>
    </message>
    <message>
        <source>%1, only read</source>
        <comment>size, kernel name</comment>
        <translation>%1, wird nur gelesen</translation>
    </message>
    <message>
        <source>%1 was unplugged.</source>
        <translation>%1 wurde abgezogen.</translation>
    </message>
    <message>
        <source>That folder is on the device itself. Choose one elsewhere.</source>
        <translation>Dieser Ordner liegt auf dem Gerät selbst. Wählen Sie einen anderswo.</translation>
    </message>
    <message>
        <source>Make an image of %1</source>
        <translation>Abbild von %1 erstellen</translation>
    </message>
    <message>
        <source>Make &amp;Image</source>
        <translation>Abbild &amp;erstellen</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::CoreWords</name>
    <message>
        <source>the image is encrypted</source>
        <translation>Das Abbild ist verschlüsselt</translation>
    </message>
    <message>
        <source>the disk is encrypted</source>
        <translation>Die Disk ist verschlüsselt</translation>
    </message>
    <message>
        <source>the backing file&apos;s format %1</source>
        <translation>das Format %1 der Unterlage</translation>
    </message>
    <message>
        <source>a differencing image, which stands on another</source>
        <translation>ein Differenzabbild, das auf einem anderen beruht</translation>
    </message>
    <message>
        <source>a differencing image, which has a parent</source>
        <translation>ein Differenzabbild, das auf einem anderen beruht</translation>
    </message>
    <message>
        <source>an undo image</source>
        <translation>ein Rücknahmeabbild (undo)</translation>
    </message>
    <message>
        <source>qcow2 version %1</source>
        <translation>qcow2 Version %1</translation>
    </message>
    <message>
        <source>unknown incompatible feature: %1</source>
        <translation>eine unbekannte, unverträgliche Eigenschaft: %1</translation>
    </message>
    <message>
        <source>it was compressed with a dictionary</source>
        <translation>Es wurde mit einem Wörterbuch komprimiert</translation>
    </message>
    <message>
        <source>unknown xz filters or options</source>
        <translation>unbekannte Filter oder Optionen von xz</translation>
    </message>
    <message>
        <source>what it holds is %1, which cannot be read from front to back only</source>
        <translation>Es enthält %1; das lässt sich nicht nur von vorn nach hinten lesen</translation>
    </message>
    <message>
        <source>a %1 image</source>
        <translation>ein %1-Abbild</translation>
    </message>
    <message>
        <source>a tar archive</source>
        <translation>ein tar-Archiv</translation>
    </message>
    <message>
        <source>gzip data</source>
        <translation>gzip-Daten</translation>
    </message>
    <message>
        <source>bzip2 data</source>
        <translation>bzip2-Daten</translation>
    </message>
    <message>
        <source>xz data</source>
        <translation>xz-Daten</translation>
    </message>
    <message>
        <source>Zstandard data</source>
        <translation>Zstandard-Daten</translation>
    </message>
    <message>
        <source>there is no snapshot with the id or name %1</source>
        <translation>Es gibt keinen Schnappschuss mit der Kennung oder dem Namen %1</translation>
    </message>
    <message>
        <source>its dictionary needs %1 bytes of memory</source>
        <translation>Sein Wörterbuch braucht %1 Byte Arbeitsspeicher</translation>
    </message>
    <message>
        <source>its window needs more memory than is allowed</source>
        <translation>Sein Fenster braucht mehr Arbeitsspeicher als erlaubt</translation>
    </message>
    <message>
        <source>the disk has %1 bytes, the target %2</source>
        <translation>Die Disk hat %1 Byte, das Ziel %2</translation>
    </message>
    <message>
        <source>it has %1 bytes, the image needs %2: %3 are missing</source>
        <translation>Es hat %1 Byte, das Abbild braucht %2: Es fehlen %3</translation>
    </message>
    <message>
        <source>the image is larger than its %1 bytes</source>
        <translation>Das Abbild ist größer als seine %1 Byte</translation>
    </message>
    <message>
        <source>VHD disks have at most 2040 GiB</source>
        <translation>VHD-Disks haben höchstens 2040 GiB</translation>
    </message>
    <message>
        <source>VHDX disks have at most 64 TiB</source>
        <translation>VHDX-Disks haben höchstens 64 TiB</translation>
    </message>
    <message>
        <source>vdi disks have at most %1 bytes</source>
        <translation>VDI-Disks haben höchstens %1 Byte</translation>
    </message>
    <message>
        <source>vmdk disks have at most %1 bytes</source>
        <translation>VMDK-Disks haben höchstens %1 Byte</translation>
    </message>
    <message>
        <source>a VMDK file ends at 2 TiB: it cannot hold more</source>
        <translation>Eine VMDK-Datei endet bei 2 TiB: Mehr fasst sie nicht</translation>
    </message>
    <message>
        <source>fixed VHD disks have at least one byte</source>
        <translation>Feste VHD-Disks haben mindestens ein Byte</translation>
    </message>
    <message>
        <source>VHDX disks have at least one byte</source>
        <translation>VHDX-Disks haben mindestens ein Byte</translation>
    </message>
    <message>
        <source>vmdk disks have at least one byte</source>
        <translation>VMDK-Disks haben mindestens ein Byte</translation>
    </message>
    <message>
        <source>the refcount table would pass %1 bytes: a larger cluster_size is needed</source>
        <translation>Die Zähltabelle überschritte %1 Byte: Es braucht größere Cluster</translation>
    </message>
    <message>
        <source>option preallocation: not together with compression</source>
        <translation>„Platz“ verträgt sich nicht mit Kompression</translation>
    </message>
    <message>
        <source>option %1: &apos;%2&apos; is not %3</source>
        <translation>Option %1: „%2“ ist nicht %3</translation>
    </message>
    <message>
        <source>the area is larger than the device</source>
        <translation>Der Bereich ist größer als das Gerät</translation>
    </message>
    <message>
        <source>no request of that size fits</source>
        <translation>Keine Anfrage dieser Größe passt hinein</translation>
    </message>
    <message>
        <source>the file became shorter</source>
        <translation>Die Datei wurde kürzer</translation>
    </message>
    <message>
        <source>it ended early</source>
        <translation>Es endete zu früh</translation>
    </message>
    <message>
        <source>it is empty</source>
        <translation>Es ist leer</translation>
    </message>
    <message>
        <source>it ends in the middle of the compressed data</source>
        <translation>Es endet mitten in den komprimierten Daten</translation>
    </message>
    <message>
        <source>invalid compressed data</source>
        <translation>ungültige komprimierte Daten</translation>
    </message>
    <message>
        <source>the device has become read-only</source>
        <translation>Das Gerät ist schreibgeschützt geworden</translation>
    </message>
    <message>
        <source>another computer has reserved it</source>
        <translation>Ein anderer Rechner hat es reserviert</translation>
    </message>
    <message>
        <source>another image names it, and nobody allowed it yet</source>
        <translation>Ein anderes Abbild nennt es, und niemand hat es bisher erlaubt</translation>
    </message>
    <message>
        <source>it was not given</source>
        <translation>Es wurde nicht mitgegeben</translation>
    </message>
    <message>
        <source>the worker ended at once</source>
        <translation>Der Arbeitsprozess endete sofort</translation>
    </message>
    <message>
        <source>it said nothing</source>
        <translation>Er sagte nichts</translation>
    </message>
    <message>
        <source>it ended with %1</source>
        <translation>Er endete mit %1</translation>
    </message>
    <message>
        <source>it was ended by signal %1</source>
        <translation>Er wurde durch das Signal %1 beendet</translation>
    </message>
    <message>
        <source>it was ended for a system call that it may not make</source>
        <translation>Er wurde für einen Systemaufruf beendet, den er nicht machen darf</translation>
    </message>
    <message>
        <source>there is no system bus here</source>
        <translation>Hier gibt es keinen Systembus</translation>
    </message>
    <message>
        <source>disklathe-helper is not installed</source>
        <translation>disklathe-helper ist nicht installiert</translation>
    </message>
    <message>
        <source>disklathe-helper did not answer</source>
        <translation>disklathe-helper antwortete nicht</translation>
    </message>
    <message>
        <source>disklathe-helper does not answer: %1</source>
        <translation>disklathe-helper antwortet nicht: %1</translation>
    </message>
    <message>
        <source>the dirty bit is set: the image was not closed properly</source>
        <translation>Das Merkmal „dirty“ ist gesetzt: Das Abbild wurde nicht ordentlich geschlossen</translation>
    </message>
    <message>
        <source>the corrupt bit is set: the image is known to be damaged</source>
        <translation>Das Merkmal „corrupt“ ist gesetzt: Das Abbild ist als beschädigt bekannt</translation>
    </message>
    <message>
        <source>the bitmaps are inconsistent: a program that does not know them wrote to the image</source>
        <translation>Die Bitmaps stimmen nicht mehr: Ein Programm, das sie nicht kennt, hat in das Abbild geschrieben</translation>
    </message>
    <message>
        <source>the bitmaps cannot be read: %1</source>
        <translation>Die Bitmaps lassen sich nicht lesen: %1</translation>
    </message>
    <message>
        <source>one of the two headers is damaged; the other one is used</source>
        <translation>Einer der beiden Köpfe ist beschädigt; der andere wird benutzt</translation>
    </message>
    <message>
        <source>the first region table is damaged; the second one is used</source>
        <translation>Die erste Regionentabelle ist beschädigt; die zweite wird benutzt</translation>
    </message>
    <message>
        <source>it was not closed properly: what its log says counts</source>
        <translation>Es wurde nicht ordentlich geschlossen: Es gilt, was sein Protokoll sagt</translation>
    </message>
    <message>
        <source>the footer at the end of the file is damaged or missing; its copy at the start is used</source>
        <translation>Der Fuß am Ende der Datei ist beschädigt oder fehlt; seine Kopie am Anfang wird benutzt</translation>
    </message>
    <message>
        <source>it belongs to the saved state of a virtual machine</source>
        <translation>Es gehört zum gespeicherten Zustand einer virtuellen Maschine</translation>
    </message>
    <message>
        <source>it was not closed properly</source>
        <translation>Es wurde nicht ordentlich geschlossen</translation>
    </message>
    <message>
        <source>it was not closed properly, or is in use</source>
        <translation>Es wurde nicht ordentlich geschlossen oder wird benutzt</translation>
    </message>
    <message>
        <source>it needs a check: it was not closed properly</source>
        <translation>Es sollte geprüft werden: Es wurde nicht ordentlich geschlossen</translation>
    </message>
    <message>
        <source>its header says that it is empty; its table is read</source>
        <translation>Sein Kopf sagt, es sei leer; gelesen wird seine Tabelle</translation>
    </message>
    <message>
        <source>it is read by itself; whether the disk has more files its DiskDescriptor.xml tells</source>
        <translation>Es wird für sich gelesen; ob die Disk mehr Dateien hat, sagt ihre DiskDescriptor.xml</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DesktopReport</name>
    <message>
        <source>Show</source>
        <translation>Anzeigen</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>job, how far it is</comment>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DeviceContentsPage</name>
    <message>
        <source>in partitions</source>
        <translation>in Partitionen</translation>
    </message>
    <message>
        <source>in no partition</source>
        <translation>in keiner Partition</translation>
    </message>
    <message>
        <source>partitions</source>
        <translation>Partitionen</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Unbekannt</translation>
    </message>
    <message>
        <source>it may not be read without rights</source>
        <translation>ohne Rechte darf es nicht gelesen werden</translation>
    </message>
    <message>
        <source>on the whole device</source>
        <translation>auf dem ganzen Gerät</translation>
    </message>
    <message>
        <source>partition table</source>
        <translation>Partitionstabelle</translation>
    </message>
    <message>
        <source>In no partition</source>
        <translation>In keiner Partition</translation>
    </message>
    <message>
        <source>As its partition table says. What is in a partition was not read.</source>
        <translation>Wie die Partitionstabelle es sagt. Was in einer Partition ist, wurde nicht gelesen.</translation>
    </message>
    <message>
        <source>As %1 left it at %2: %3.</source>
        <comment>job, time, result</comment>
        <translation>Wie %1 es um %2 hinterließ: %3.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>job, how far it is</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Nothing known</source>
        <translation>Nichts Bekanntes</translation>
    </message>
    <message>
        <source>it may hold data all the same</source>
        <translation>es kann trotzdem Daten enthalten</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DeviceLog</name>
    <message numerus="yes">
        <source>%n partition(s)</source>
        <translation>
            <numerusform>%n Partition</numerusform>
            <numerusform>%n Partitionen</numerusform>
        </translation>
    </message>
    <message>
        <source>Free: %1</source>
        <translation>Frei: %1</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Unplugged, or another medium is in its place</source>
        <translation>Getrennt, oder ein anderes Medium ist an seiner Stelle</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DeviceMap</name>
    <message>
        <source>What is on the device</source>
        <translation>Was auf dem Gerät ist</translation>
    </message>
    <message>
        <source>in no partition</source>
        <translation>in keiner Partition</translation>
    </message>
    <message>
        <source>%1 from byte %2</source>
        <translation>%1 ab Byte %2</translation>
    </message>
    <message>
        <source>mounted</source>
        <translation>eingehängt</translation>
    </message>
    <message>
        <source>Partition</source>
        <translation>Partition</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Mounted</source>
        <translation>Eingehängt</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DevicePicker</name>
    <message>
        <source>Devices to write to</source>
        <translation>Geräte, auf die geschrieben werden kann</translation>
    </message>
    <message>
        <source>%1 is not there any more, or is in use now. Choose again.</source>
        <translation>%1 ist nicht mehr da oder wird inzwischen benutzt. Wählen Sie erneut.</translation>
    </message>
    <message>
        <source>No devices. Plug one in: it appears here.</source>
        <translation>Keine Geräte. Schließen Sie eines an: Es erscheint hier.</translation>
    </message>
    <message>
        <source>What is on %1 is shown, and asked about, before anything is written.</source>
        <translation>Bevor etwas geschrieben wird, wird der Inhalt von %1 gezeigt und nachgefragt.</translation>
    </message>
    <message>
        <source>Nothing is chosen yet.</source>
        <translation>Noch ist nichts ausgewählt.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DeviceView</name>
    <message>
        <source>Pages of the device</source>
        <translation>Seiten des Geräts</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>Grenzen</translation>
    </message>
    <message>
        <source>Partitions</source>
        <translation>Partitionen</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Messreihe</translation>
    </message>
    <message>
        <source>Zero</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>Copy as JSON</source>
        <translation>Als JSON kopieren</translation>
    </message>
    <message>
        <source>Mounted at %1. Unmount it before writing.</source>
        <translation>Eingehängt unter %1. Vor dem Schreiben aushängen.</translation>
    </message>
    <message>
        <source>Unmount</source>
        <translation>Aushängen</translation>
    </message>
    <message>
        <source>%1 was unplugged. What is shown is from before.</source>
        <translation>%1 wurde getrennt. Gezeigt wird der frühere Stand.</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DeviceWords</name>
    <message>
        <source>Loop device</source>
        <translation>Loop-Gerät</translation>
    </message>
    <message>
        <source>Compressed memory</source>
        <translation>Komprimierter Speicher</translation>
    </message>
    <message>
        <source>Memory disk</source>
        <translation>RAM-Disk</translation>
    </message>
    <message>
        <source>Network disk</source>
        <translation>Netzwerk-Datenträger</translation>
    </message>
    <message>
        <source>RAID %1</source>
        <translation>RAID %1</translation>
    </message>
    <message>
        <source>Mapped device</source>
        <translation>Zugeordnetes Gerät</translation>
    </message>
    <message>
        <source>Virtual disk</source>
        <translation>Virtueller Datenträger</translation>
    </message>
    <message>
        <source>Memory card</source>
        <translation>Speicherkarte</translation>
    </message>
    <message>
        <source>%1 disk</source>
        <translation>%1-Datenträger</translation>
    </message>
    <message>
        <source>unknown bus</source>
        <translation>unbekannter Bus</translation>
    </message>
    <message>
        <source>NVMe over a network</source>
        <translation>NVMe über Netzwerk</translation>
    </message>
    <message>
        <source>SD or MMC</source>
        <translation>SD oder MMC</translation>
    </message>
    <message>
        <source>loop</source>
        <translation>Loop</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Arbeitsspeicher</translation>
    </message>
    <message>
        <source>device mapper</source>
        <translation>Device Mapper</translation>
    </message>
    <message>
        <source>software RAID</source>
        <translation>Software-RAID</translation>
    </message>
    <message>
        <source>made by the kernel</source>
        <translation>vom Kernel erzeugt</translation>
    </message>
    <message>
        <source>no medium</source>
        <translation>kein Medium</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>size, kernel name</comment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>serial %1</source>
        <translation>Seriennummer %1</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>No medium</source>
        <translation>Kein Medium</translation>
    </message>
    <message>
        <source>Mounted</source>
        <translation>Eingehängt</translation>
    </message>
    <message>
        <source>Swap</source>
        <translation>Swap</translation>
    </message>
    <message>
        <source>LVM %1</source>
        <translation>LVM %1</translation>
    </message>
    <message>
        <source>ZFS %1</source>
        <translation>ZFS %1</translation>
    </message>
    <message>
        <source>Unlocked</source>
        <translation>Entsperrt</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>In Benutzung</translation>
    </message>
    <message>
        <source>Read-only</source>
        <translation>Nur lesbar</translation>
    </message>
    <message>
        <source>Member</source>
        <translation>Mitglied</translation>
    </message>
    <message>
        <source>mounted at %1</source>
        <translation>unter %1 eingehängt</translation>
    </message>
    <message>
        <source>used as swap</source>
        <translation>als Auslagerungsspeicher in Benutzung</translation>
    </message>
    <message>
        <source>where this computer hibernates to</source>
        <translation>das Ziel des Ruhezustands dieses Rechners</translation>
    </message>
    <message>
        <source>unlocked as %1</source>
        <translation>entsperrt als %1</translation>
    </message>
    <message>
        <source>member of the LVM volume %1 (active)</source>
        <translation>Mitglied des LVM-Volumes %1 (aktiv)</translation>
    </message>
    <message>
        <source>a path of %1</source>
        <translation>ein Pfad von %1</translation>
    </message>
    <message>
        <source>mapped as %1</source>
        <translation>zugeordnet als %1</translation>
    </message>
    <message>
        <source>member of the RAID %1 (active)</source>
        <translation>Mitglied des RAID %1 (aktiv)</translation>
    </message>
    <message>
        <source>used by bcache</source>
        <translation>von bcache benutzt</translation>
    </message>
    <message>
        <source>holds the file of %1</source>
        <translation>Träger der Datei von %1</translation>
    </message>
    <message>
        <source>written back to by %1</source>
        <translation>Rückschreibziel von %1</translation>
    </message>
    <message>
        <source>member of the ZFS pool %1 (active)</source>
        <translation>Mitglied des ZFS-Pools %1 (aktiv)</translation>
    </message>
    <message>
        <source>held by %1</source>
        <translation>belegt durch %1</translation>
    </message>
    <message>
        <source>part of %1, not active</source>
        <translation>Teil von %1, nicht aktiv</translation>
    </message>
    <message>
        <source>This computer&apos;s system is on it. It can be looked at, never written.</source>
        <translation>System dieses Rechners: nur zu betrachten, nie zu beschreiben.</translation>
    </message>
    <message>
        <source>There is no medium in it.</source>
        <translation>Es ist kein Medium eingelegt.</translation>
    </message>
    <message>
        <source>It is read-only.</source>
        <translation>Es ist nur lesbar.</translation>
    </message>
    <message>
        <source>It is %1.</source>
        <comment>the place is a hold: &apos;mounted at /media/ana/T7&apos;</comment>
        <translation>Es ist %1.</translation>
    </message>
    <message>
        <source>A program uses it.</source>
        <translation>Ein Programm benutzt es.</translation>
    </message>
    <message>
        <source>The system does not list it, so nobody can tell who uses it.</source>
        <translation>Das System führt es nicht auf, daher ist nicht zu erkennen, wer es benutzt.</translation>
    </message>
    <message>
        <source>Another device, or another medium, is in its place.</source>
        <translation>An seiner Stelle ist ein anderes Gerät oder ein anderes Medium.</translation>
    </message>
    <message>
        <source>content unknown</source>
        <translation>Inhalt unbekannt</translation>
    </message>
    <message>
        <source>signatures of several kinds</source>
        <translation>Signaturen mehrerer Arten</translation>
    </message>
    <message>
        <source>nothing known on it</source>
        <translation>nichts Bekanntes darauf</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>file system, label</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>The image&apos;s partition table counts in sectors of %1, the device has %2: it will show no partitions and not boot.</source>
        <translation>Die Partitionstabelle des Abbilds zählt in Sektoren zu %1, das Gerät hat %2: Es wird keine Partitionen zeigen und nicht starten.</translation>
    </message>
    <message>
        <source>EFI system</source>
        <translation>EFI-System</translation>
    </message>
    <message>
        <source>BIOS boot</source>
        <translation>BIOS-Start</translation>
    </message>
    <message>
        <source>Microsoft reserved</source>
        <translation>Microsoft, reserviert</translation>
    </message>
    <message>
        <source>Microsoft data</source>
        <translation>Microsoft-Daten</translation>
    </message>
    <message>
        <source>Windows recovery</source>
        <translation>Windows-Wiederherstellung</translation>
    </message>
    <message>
        <source>Linux files</source>
        <translation>Linux-Dateien</translation>
    </message>
    <message>
        <source>Linux root</source>
        <translation>Linux-Wurzel</translation>
    </message>
    <message>
        <source>Linux swap</source>
        <translation>Linux-Auslagerung</translation>
    </message>
    <message>
        <source>Linux LVM</source>
        <translation>Linux-LVM</translation>
    </message>
    <message>
        <source>Linux RAID</source>
        <translation>Linux-RAID</translation>
    </message>
    <message>
        <source>Apple HFS+</source>
        <translation>Apple HFS+</translation>
    </message>
    <message>
        <source>Apple APFS</source>
        <translation>Apple APFS</translation>
    </message>
    <message>
        <source>extended</source>
        <translation>erweitert</translation>
    </message>
    <message>
        <source>NTFS or exFAT</source>
        <translation>NTFS oder exFAT</translation>
    </message>
    <message>
        <source>FAT32</source>
        <translation>FAT32</translation>
    </message>
    <message>
        <source>%1 · %2 · %3</source>
        <comment>size, kernel name, file behind a loop device</comment>
        <translation>%1 · %2 · %3</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Unbekannt</translation>
    </message>
    <message>
        <source>This computer&apos;s system runs from it. What changes while it is read may not fit together in the image.</source>
        <translation>Das System dieses Rechners läuft davon. Was sich während des Lesens ändert, passt im Abbild womöglich nicht zusammen.</translation>
    </message>
    <message>
        <source>It is %1. What changes while it is read may not fit together in the image: better unmount or close it first.</source>
        <comment>the place is a hold: &apos;mounted at /media/ana/T7&apos;</comment>
        <translation>Es ist %1. Was sich während des Lesens ändert, passt im Abbild womöglich nicht zusammen: Hängen Sie es besser vorher aus, oder schließen Sie es.</translation>
    </message>
    <message>
        <source>A program uses it. What changes while it is read may not fit together in the image.</source>
        <translation>Ein Programm benutzt es. Was sich während des Lesens ändert, passt im Abbild womöglich nicht zusammen.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DialogFrame</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DiskAnswers</name>
    <message>
        <source>What the disk says of itself</source>
        <translation>Was das Laufwerk von sich selbst sagt</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>What it means</source>
        <translation>Was das bedeutet</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>&amp;Ask the Disk</source>
        <translation>&amp;Laufwerk fragen</translation>
    </message>
    <message>
        <source>By commands of SCSI, ATA or NVMe that change nothing. It may take a password.</source>
        <translation>Mit Befehlen von SCSI, ATA oder NVMe, die nichts ändern. Dafür kann ein Passwort nötig sein.</translation>
    </message>
    <message>
        <source>Asking</source>
        <translation>Wird gefragt</translation>
    </message>
    <message>
        <source>It does not answer. Not every disk, bridge and kernel passes such questions on.</source>
        <translation>Es antwortet nicht. Nicht jedes Laufwerk, jede Brücke und jeder Kernel lässt solche Fragen durch.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DiskService</name>
    <message>
        <source>There is no UDisks2 on this computer. Use the file manager, or umount in a terminal.</source>
        <translation>Auf diesem Rechner gibt es kein UDisks2. Verwenden Sie die Dateiverwaltung oder umount in einem Terminal.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DiskWords</name>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>Logical block</source>
        <translation>Logischer Block</translation>
    </message>
    <message>
        <source>The unit of its commands, whatever a bridge makes of it.</source>
        <translation>Die Einheit seiner Befehle, was auch immer eine Brücke daraus macht.</translation>
    </message>
    <message>
        <source>Maximum transfer</source>
        <translation>Größte Übertragung</translation>
    </message>
    <message>
        <source>It takes no longer command. The kernel keeps to that.</source>
        <translation>Es nimmt keinen längeren Befehl an. Der Kernel hält sich daran.</translation>
    </message>
    <message>
        <source>Optimal transfer</source>
        <translation>Günstigste Übertragung</translation>
    </message>
    <message>
        <source>The command it does best with; much longer ones may cost more.</source>
        <translation>Der Befehl, mit dem es am besten zurechtkommt; viel längere können mehr kosten.</translation>
    </message>
    <message>
        <source>Transfer granularity</source>
        <translation>Schrittweite der Übertragung</translation>
    </message>
    <message>
        <source>Commands that are no multiple of this cost it more.</source>
        <translation>Befehle, die kein Vielfaches davon sind, kosten es mehr.</translation>
    </message>
    <message>
        <source>Boundary</source>
        <translation>Nahtstelle</translation>
    </message>
    <message>
        <source>A command across a multiple of this costs as two.</source>
        <translation>Ein Befehl über ein Vielfaches davon hinweg kostet wie zwei.</translation>
    </message>
    <message>
        <source>Maximum write zeroes</source>
        <translation>Größtes Nullen</translation>
    </message>
    <message>
        <source>One command zeroes no more.</source>
        <translation>Mehr nullt ein Befehl nicht.</translation>
    </message>
    <message>
        <source>Unmaps</source>
        <translation>Gibt Blöcke frei</translation>
    </message>
    <message>
        <source>It can be told which blocks are not needed any more.</source>
        <translation>Man kann ihm sagen, welche Blöcke nicht mehr gebraucht werden.</translation>
    </message>
    <message>
        <source>It cannot be told which blocks are not needed any more.</source>
        <translation>Man kann ihm nicht sagen, welche Blöcke nicht mehr gebraucht werden.</translation>
    </message>
    <message>
        <source>Maximum unmap</source>
        <translation>Größte Freigabe</translation>
    </message>
    <message>
        <source>One command gives back no more.</source>
        <translation>Mehr gibt ein Befehl nicht frei.</translation>
    </message>
    <message>
        <source>Maximum unmap ranges</source>
        <translation>Meiste Bereiche je Freigabe</translation>
    </message>
    <message>
        <source>One command names no more ranges.</source>
        <translation>Mehr Bereiche nennt ein Befehl nicht.</translation>
    </message>
    <message>
        <source>Unmap granularity</source>
        <translation>Schrittweite der Freigabe</translation>
    </message>
    <message>
        <source>Smaller ranges, or off its multiples, may stay allocated.</source>
        <translation>Kleinere Bereiche, oder solche neben ihren Vielfachen, bleiben womöglich belegt.</translation>
    </message>
    <message>
        <source>Unmap offset</source>
        <translation>Versatz der Freigabe</translation>
    </message>
    <message>
        <source>Those multiples are counted from here.</source>
        <translation>Diese Vielfachen werden von hier an gezählt.</translation>
    </message>
    <message>
        <source>Unmapped reads as zero</source>
        <translation>Freigegebenes ist null</translation>
    </message>
    <message>
        <source>So it promises; nothing here relies on it.</source>
        <translation>So verspricht es; hier verlässt sich nichts darauf.</translation>
    </message>
    <message>
        <source>What was unmapped may read as anything.</source>
        <translation>Freigegebenes kann sich als irgendetwas lesen.</translation>
    </message>
    <message>
        <source>Thin provisioned</source>
        <translation>Platz nur bei Bedarf</translation>
    </message>
    <message>
        <source>It may have less room than it says: a write can fail for want of it.</source>
        <translation>Es hat womöglich weniger Platz, als es sagt: Schreiben kann daran scheitern.</translation>
    </message>
    <message>
        <source>There is room for all of its blocks.</source>
        <translation>Für alle seine Blöcke ist Platz da.</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>Drehzahl</translation>
    </message>
    <message>
        <source>%1 rpm</source>
        <translation>%1 U/min</translation>
    </message>
    <message>
        <source>Seeks are expensive.</source>
        <translation>Sprünge sind teuer.</translation>
    </message>
    <message>
        <source>It does not rotate.</source>
        <translation>Es dreht sich nicht.</translation>
    </message>
    <message>
        <source>Not reported: %1.</source>
        <translation>Nicht gemeldet: %1.</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>name, protocol</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1, firmware %2 (%3)</source>
        <comment>name, version, protocol</comment>
        <translation>%1, Firmware %2 (%3)</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DropOverlay</name>
    <message>
        <source>Inspect</source>
        <translation>Untersuchen</translation>
    </message>
    <message>
        <source>Convert or write…</source>
        <translation>Konvertieren oder schreiben…</translation>
    </message>
    <message>
        <source>Choose a file or a device next</source>
        <translation>Als Nächstes eine Datei oder ein Gerät wählen</translation>
    </message>
    <message>
        <source>Show what %1 holds</source>
        <translation>Zeigen, was %1 enthält</translation>
    </message>
    <message numerus="yes">
        <source>Show what %n file(s) hold</source>
        <translation>
            <numerusform>Zeigen, was %n Datei enthält</numerusform>
            <numerusform>Zeigen, was %n Dateien enthalten</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DropStrip</name>
    <message>
        <source>Drop images here</source>
        <translation>Abbilder hier ablegen</translation>
    </message>
    <message>
        <source>Or press it to choose files.</source>
        <translation>Oder drücken, um Dateien auszuwählen.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::EraseDialog</name>
    <message>
        <source>What is on it is not known: it may not be read without rights. There is no undo.</source>
        <translation>Der Inhalt ist nicht bekannt: Ohne Rechte darf er nicht gelesen werden. Es gibt kein Zurück.</translation>
    </message>
    <message>
        <source>%1 (%2, %3)</source>
        <translation>%1 (%2, %3)</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n weitere</numerusform>
            <numerusform>%n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, with all files on it. There is no undo.</source>
        <translation>%1, mit allen Dateien darauf. Es gibt kein Zurück.</translation>
    </message>
    <message>
        <source>How much is written shows at the end. What lies beyond keeps its old bytes.</source>
        <translation>Wie viel geschrieben wird, zeigt sich am Ende. Was dahinter liegt, behält seine alten Bytes.</translation>
    </message>
    <message>
        <source>Nothing: all of the device is written.</source>
        <translation>Nichts: Das ganze Gerät wird beschrieben.</translation>
    </message>
    <message>
        <source>Old bytes past %1. They can be recovered with tools: this is not secure erase.</source>
        <translation>Alte Bytes jenseits von %1. Mit Werkzeugen sind sie wiederherstellbar: Dies ist kein sicheres Löschen.</translation>
    </message>
    <message>
        <source>Overwrite a Device</source>
        <translation>Gerät überschreiben</translation>
    </message>
    <message>
        <source>Overwrite %1 (%2)?</source>
        <translation>%1 (%2) überschreiben?</translation>
    </message>
    <message>
        <source>&amp;Verify by reading everything back</source>
        <translation>Alles &amp;zurücklesen und prüfen</translation>
    </message>
    <message>
        <source>Overwrite %1</source>
        <translation>%1 überschreiben</translation>
    </message>
    <message numerus="yes">
        <source>Type the last %n character(s) of its &amp;serial number to go on:</source>
        <translation>
            <numerusform>Zum Fortfahren das letzte Zeichen der &amp;Seriennummer eingeben:</numerusform>
            <numerusform>Zum Fortfahren die letzten %n Zeichen der &amp;Seriennummer eingeben:</numerusform>
        </translation>
    </message>
    <message>
        <source>Type its kernel &amp;name to go on:</source>
        <translation>Zum Fortfahren den Kernel&amp;namen eingeben:</translation>
    </message>
    <message>
        <source>Lost</source>
        <translation>Geht verloren</translation>
    </message>
    <message>
        <source>Survives</source>
        <translation>Bleibt erhalten</translation>
    </message>
    <message>
        <source>%1 was unplugged. Nothing was written.</source>
        <translation>%1 wurde getrennt. Es wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>It will not work there</source>
        <translation>Dort wird es nicht funktionieren</translation>
    </message>
    <message>
        <source>&amp;Verify by reading everything back (%1 of it)</source>
        <translation>Alles &amp;zurücklesen und prüfen (davon %1)</translation>
    </message>
    <message>
        <source>No file system or partition table that is known. It may hold data all the same. There is no undo.</source>
        <translation>Kein bekanntes Dateisystem, keine bekannte Partitionstabelle. Es kann trotzdem Daten enthalten. Es gibt kein Zurück.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ErrorWords</name>
    <message>
        <source>the file</source>
        <translation>die Datei</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>what happened, why</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <comment>what happened, why</comment>
        <translation>%1: %2.</translation>
    </message>
    <message>
        <source>%1 is not there.</source>
        <translation>%1 ist nicht vorhanden.</translation>
    </message>
    <message>
        <source>You were not authorised to open %1.</source>
        <translation>Das Öffnen von %1 wurde nicht genehmigt.</translation>
    </message>
    <message>
        <source>%1 could not be opened</source>
        <translation>%1 konnte nicht geöffnet werden</translation>
    </message>
    <message>
        <source>You may not use %1</source>
        <translation>%1 darf nicht benutzt werden</translation>
    </message>
    <message>
        <source>%1 is in use</source>
        <translation>%1 wird benutzt</translation>
    </message>
    <message>
        <source>%1 was unplugged or went away.</source>
        <translation>%1 wurde getrennt oder ist verschwunden.</translation>
    </message>
    <message>
        <source>%1 changed while it was read</source>
        <translation>%1 änderte sich beim Lesen</translation>
    </message>
    <message>
        <source>%1 is damaged at byte %2</source>
        <translation>%1 ist bei Byte %2 beschädigt</translation>
    </message>
    <message>
        <source>%1 is damaged, or not of its format</source>
        <translation>%1 ist beschädigt oder nicht von seinem Format</translation>
    </message>
    <message>
        <source>%1 needs something this program does not do</source>
        <translation>%1 braucht etwas, das dieses Programm nicht kann</translation>
    </message>
    <message>
        <source>%1 failed at byte %2</source>
        <translation>%1 versagte bei Byte %2</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1 versagte</translation>
    </message>
    <message>
        <source>%1 was refused</source>
        <translation>%1 wurde abgelehnt</translation>
    </message>
    <message>
        <source>That cannot be done with %1</source>
        <translation>Das ist mit %1 nicht möglich</translation>
    </message>
    <message>
        <source>%1 differs</source>
        <translation>%1 weicht ab</translation>
    </message>
    <message>
        <source>cancelled.</source>
        <comment>after &apos;Failed: &apos;</comment>
        <translation>abgebrochen.</translation>
    </message>
    <message>
        <source>Check its name, and that its folder is there.</source>
        <translation>Prüfen Sie den Namen und ob der Ordner vorhanden ist.</translation>
    </message>
    <message>
        <source>Try again and give the password. Where nobody asks for one no agent of polkit runs: use sudo disklathe in a terminal.</source>
        <translation>Versuchen Sie es erneut und geben Sie das Passwort ein. Wird keines erfragt, läuft kein Agent von polkit: Verwenden Sie sudo disklathe in einem Terminal.</translation>
    </message>
    <message>
        <source>Install disklathe-helper, or use sudo disklathe in a terminal. Looking at devices and converting files work without it.</source>
        <translation>Installieren Sie disklathe-helper, oder verwenden Sie sudo disklathe in einem Terminal. Geräte betrachten und Dateien konvertieren geht auch ohne.</translation>
    </message>
    <message>
        <source>Choose another file, or change its permissions.</source>
        <translation>Wählen Sie eine andere Datei oder ändern Sie ihre Rechte.</translation>
    </message>
    <message>
        <source>Close what uses it, or unmount it, then try again.</source>
        <translation>Schließen Sie, was es benutzt, oder hängen Sie es aus, und versuchen Sie es erneut.</translation>
    </message>
    <message>
        <source>Make room, or choose another place.</source>
        <translation>Schaffen Sie Platz oder wählen Sie einen anderen Ort.</translation>
    </message>
    <message>
        <source>Check the cable, then choose the device again.</source>
        <translation>Prüfen Sie das Kabel und wählen Sie das Gerät erneut.</translation>
    </message>
    <message>
        <source>Stop what writes to it, then start again.</source>
        <translation>Halten Sie an, was darauf schreibt, und beginnen Sie erneut.</translation>
    </message>
    <message>
        <source>The image is damaged: get it again.</source>
        <translation>Das Abbild ist beschädigt: Besorgen Sie es erneut.</translation>
    </message>
    <message>
        <source>The medium or its connection may be failing. Try another port or cable.</source>
        <translation>Das Medium oder seine Verbindung ist womöglich schadhaft. Versuchen Sie einen anderen Anschluss oder ein anderes Kabel.</translation>
    </message>
    <message>
        <source>The image may be made to harm. Only the worker was hit; nothing else of yours was within its reach.</source>
        <translation>Das Abbild ist womöglich auf Schaden angelegt. Getroffen wurde nur der Arbeitsprozess; nichts anderes von Ihnen war in seiner Reichweite.</translation>
    </message>
    <message>
        <source>There is no room left for %1.</source>
        <translation>Für %1 ist kein Platz mehr.</translation>
    </message>
    <message>
        <source>There is not enough room on %1</source>
        <translation>Auf %1 ist nicht genug Platz</translation>
    </message>
    <message>
        <source>input/output error</source>
        <translation>Ein-/Ausgabefehler</translation>
    </message>
    <message>
        <source>the medium is bad there</source>
        <translation>Das Medium ist dort schadhaft</translation>
    </message>
    <message>
        <source>the device reports a failure of its own</source>
        <translation>Das Gerät meldet einen eigenen Fehler</translation>
    </message>
    <message>
        <source>what it holds there does not match its checksum</source>
        <translation>Was dort steht, passt nicht zu seiner Prüfsumme</translation>
    </message>
    <message>
        <source>it did not answer in time</source>
        <translation>Es antwortete nicht rechtzeitig</translation>
    </message>
    <message>
        <source>the connection to the device failed</source>
        <translation>Die Verbindung zum Gerät brach ab</translation>
    </message>
    <message>
        <source>another computer has reserved it</source>
        <translation>Ein anderer Rechner hat es reserviert</translation>
    </message>
    <message>
        <source>permission denied</source>
        <translation>keine Berechtigung</translation>
    </message>
    <message>
        <source>it is read-only</source>
        <translation>Es ist schreibgeschützt</translation>
    </message>
    <message>
        <source>something else uses it</source>
        <translation>Etwas anderes benutzt es</translation>
    </message>
    <message>
        <source>it is a program that runs</source>
        <translation>Es ist ein Programm, das gerade läuft</translation>
    </message>
    <message>
        <source>no room is left</source>
        <translation>kein Platz mehr</translation>
    </message>
    <message>
        <source>your share of the disk is used up</source>
        <translation>Ihr Anteil am Datenträger ist aufgebraucht</translation>
    </message>
    <message>
        <source>the file system takes no file of that size</source>
        <translation>Das Dateisystem nimmt keine Datei dieser Größe</translation>
    </message>
    <message>
        <source>there is no such device any more</source>
        <translation>Dieses Gerät gibt es nicht mehr</translation>
    </message>
    <message>
        <source>there is no such file or folder</source>
        <translation>Diese Datei oder diesen Ordner gibt es nicht</translation>
    </message>
    <message>
        <source>a part of its path is no folder</source>
        <translation>Ein Teil seines Pfads ist kein Ordner</translation>
    </message>
    <message>
        <source>it is a folder</source>
        <translation>Es ist ein Ordner</translation>
    </message>
    <message>
        <source>it is a link that leads to itself</source>
        <translation>Es ist eine Verknüpfung, die auf sich selbst zeigt</translation>
    </message>
    <message>
        <source>its name is too long</source>
        <translation>Der Name ist zu lang</translation>
    </message>
    <message>
        <source>this computer is out of memory</source>
        <translation>Diesem Rechner fehlt Arbeitsspeicher</translation>
    </message>
    <message>
        <source>too many files are open</source>
        <translation>Zu viele Dateien sind geöffnet</translation>
    </message>
    <message>
        <source>nobody answers there</source>
        <translation>Dort antwortet niemand</translation>
    </message>
    <message>
        <source>the other side has left</source>
        <translation>Die Gegenseite ist gegangen</translation>
    </message>
    <message>
        <source>Technical detail: %1.</source>
        <translation>Technische Angabe: %1.</translation>
    </message>
    <message>
        <source>The worker ended without a word while it read %1</source>
        <translation>Der Arbeitsprozess endete ohne Meldung, während er %1 las</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ExportPage</name>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>Other programs on this computer read the image as a disk: qemu-system, nbdcopy, nbd-client. Nothing can be written.</source>
        <translation>Andere Programme auf diesem Rechner lesen das Abbild als Datenträger: qemu-system, nbdcopy, nbd-client. Schreiben ist nicht möglich.</translation>
    </message>
    <message>
        <source>Listen on &amp;TCP, on this computer&apos;s own address</source>
        <translation>Über &amp;TCP anbieten, auf der eigenen Adresse dieses Rechners</translation>
    </message>
    <message>
        <source>Serving</source>
        <translation>Bereitgestellt</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>Not served</source>
        <translation>Nicht bereitgestellt</translation>
    </message>
    <message>
        <source>read-only, TCP</source>
        <translation>nur lesbar, TCP</translation>
    </message>
    <message>
        <source>read-only, Unix socket</source>
        <translation>nur lesbar, Unix-Socket</translation>
    </message>
    <message>
        <source>nobody can read it</source>
        <translation>niemand kann es lesen</translation>
    </message>
    <message>
        <source>up</source>
        <translation>in Betrieb</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>&amp;Starten</translation>
    </message>
    <message>
        <source>A compressed file has no places to jump to: convert it first.</source>
        <translation>In einer komprimierten Datei kann nicht gesprungen werden: Konvertieren Sie sie zuerst.</translation>
    </message>
    <message>
        <source>Clients</source>
        <translation>Clients</translation>
    </message>
    <message>
        <source>None yet. Give the address to a program that speaks NBD.</source>
        <translation>Noch keine. Geben Sie die Adresse einem Programm, das NBD spricht.</translation>
    </message>
    <message>
        <source>Client</source>
        <translation>Client</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>Prozess</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>Verbunden</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Gelesen</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Jetzt</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>Ranges touched</source>
        <translation>Berührte Bereiche</translation>
    </message>
    <message>
        <source>read by clients</source>
        <translation>von Clients gelesen</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
    <message>
        <source>read by a client; the rest is pale</source>
        <translation>von einem Client gelesen; der Rest ist blass</translation>
    </message>
    <message numerus="yes">
        <source>None now. %n client(s) have left.</source>
        <translation>
            <numerusform>Gerade keine. %n Client war da.</numerusform>
            <numerusform>Gerade keine. %n Clients waren da.</numerusform>
        </translation>
    </message>
    <message>
        <source>Then anyone who can reach the address can read this image: every user of this computer. Nothing is encrypted.</source>
        <translation>Dann kann jeder dieses Abbild lesen, der die Adresse erreicht: alle Benutzer dieses Computers. Nichts ist verschlüsselt.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ExportRow</name>
    <message>
        <source>%1 → NBD</source>
        <translation>%1 → NBD</translation>
    </message>
    <message>
        <source>Stop %1</source>
        <translation>%1 anhalten</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>Serving, read-only, TCP</source>
        <translation>Bereitgestellt, nur lesbar, TCP</translation>
    </message>
    <message>
        <source>Serving, read-only</source>
        <translation>Bereitgestellt, nur lesbar</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>what it does, how many clients</comment>
        <translation>%1, %2</translation>
    </message>
    <message numerus="yes">
        <source>%n client(s)</source>
        <translation>
            <numerusform>%n Client</numerusform>
            <numerusform>%n Clients</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ExportServer</name>
    <message>
        <source>The program disklathe, which serves it, could not be started.</source>
        <translation>Das Programm disklathe, das es bereitstellt, konnte nicht gestartet werden.</translation>
    </message>
    <message>
        <source>PID %1</source>
        <translation>PID %1</translation>
    </message>
    <message>
        <source>a program</source>
        <translation>ein Programm</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::FormatWords</name>
    <message>
        <source>Raw (byte for byte)</source>
        <translation>Raw (Byte für Byte)</translation>
    </message>
    <message>
        <source>qcow2 (QEMU)</source>
        <translation>qcow2 (QEMU)</translation>
    </message>
    <message>
        <source>VMDK (VMware)</source>
        <translation>VMDK (VMware)</translation>
    </message>
    <message>
        <source>VDI (VirtualBox)</source>
        <translation>VDI (VirtualBox)</translation>
    </message>
    <message>
        <source>VHD (Hyper-V, Azure)</source>
        <translation>VHD (Hyper-V, Azure)</translation>
    </message>
    <message>
        <source>VHDX (Hyper-V)</source>
        <translation>VHDX (Hyper-V)</translation>
    </message>
    <message>
        <source>What a device holds. Every program reads it.</source>
        <translation>Was ein Gerät enthält. Jedes Programm liest es.</translation>
    </message>
    <message>
        <source>Opens in QEMU, libvirt and GNOME Boxes. Takes no more room than its data.</source>
        <translation>Für QEMU, libvirt und GNOME Boxen. Braucht nicht mehr Platz als seine Daten.</translation>
    </message>
    <message>
        <source>Opens in VMware, VirtualBox and QEMU.</source>
        <translation>Für VMware, VirtualBox und QEMU.</translation>
    </message>
    <message>
        <source>Opens in VirtualBox and QEMU.</source>
        <translation>Für VirtualBox und QEMU.</translation>
    </message>
    <message>
        <source>Opens in Hyper-V and Azure, up to 2 TiB.</source>
        <translation>Für Hyper-V und Azure, bis 2 TiB.</translation>
    </message>
    <message>
        <source>Opens in Hyper-V, VirtualBox and QEMU.</source>
        <translation>Für Hyper-V, VirtualBox und QEMU.</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Platz</translation>
    </message>
    <message>
        <source>Cluster size</source>
        <translation>Clustergröße</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>Blockgröße</translation>
    </message>
    <message>
        <source>Compression</source>
        <translation>Kompression</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>Art</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Lazy counting</source>
        <translation>Verzögertes Zählen</translation>
    </message>
    <message>
        <source>Subclusters</source>
        <translation>Subcluster</translation>
    </message>
    <message>
        <source>Off grows as the guest writes; full takes all of it at once and fragments less.</source>
        <translation>„Aus“ wächst, während der Gast schreibt; „Voll“ belegt alles sofort und zersplittert weniger.</translation>
    </message>
    <message>
        <source>Larger clusters make smaller tables; smaller ones keep more holes.</source>
        <translation>Größere Cluster geben kleinere Tabellen; kleinere erhalten mehr Lücken.</translation>
    </message>
    <message>
        <source>Larger blocks make a smaller table; smaller ones keep more holes.</source>
        <translation>Größere Blöcke geben eine kleinere Tabelle; kleinere erhalten mehr Lücken.</translation>
    </message>
    <message>
        <source>How the file is laid out; the first one suits most programs.</source>
        <translation>Wie die Datei angelegt ist; die erste Art passt für die meisten Programme.</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>On</source>
        <translation>An</translation>
    </message>
    <message>
        <source>Tables only</source>
        <translation>Nur Tabellen</translation>
    </message>
    <message>
        <source>Reserved</source>
        <translation>Reserviert</translation>
    </message>
    <message>
        <source>Full: written with zeroes</source>
        <translation>Voll: mit Nullen beschrieben</translation>
    </message>
    <message>
        <source>Dynamic: grows as the guest writes</source>
        <translation>Dynamisch: wächst, während der Gast schreibt</translation>
    </message>
    <message>
        <source>Fixed: all of it at once</source>
        <translation>Fest: alles auf einmal</translation>
    </message>
    <message>
        <source>Disk images (%1)</source>
        <translation>Datenträgerabbilder (%1)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Of compressed clusters: zlib opens everywhere, zstd is faster and smaller.</source>
        <translation>Der komprimierten Cluster: zlib öffnet sich überall, zstd ist schneller und kleiner.</translation>
    </message>
    <message>
        <source>Version 3 knows zeroes and more; only very old programs need 2.</source>
        <translation>Version 3 kennt Nullen und mehr; nur sehr alte Programme brauchen 2.</translation>
    </message>
    <message>
        <source>32 in each cluster: keeps holes although clusters are large. QEMU 5.2 and later.</source>
        <translation>32 in jedem Cluster: behält Lücken trotz großer Cluster. Ab QEMU 5.2.</translation>
    </message>
    <message>
        <source>A guest writes faster; after a crash the image is checked when it is opened.</source>
        <translation>Ein Gast schreibt schneller; nach einem Absturz wird das Abbild beim Öffnen geprüft.</translation>
    </message>
    <message>
        <source>Refcount bits</source>
        <translation>Zählerbits</translation>
    </message>
    <message>
        <source>How often a cluster can be shared by snapshots: a power of two up to 64.</source>
        <translation>Wie oft Schnappschüsse sich einen Cluster teilen können: eine Zweierpotenz bis 64.</translation>
    </message>
    <message>
        <source>Whole MiB</source>
        <translation>Ganze MiB</translation>
    </message>
    <message>
        <source>The size as Hyper-V and Azure take it, not as a disk&apos;s geometry rounds it.</source>
        <translation>Die Größe, wie Hyper-V und Azure sie nehmen, nicht wie eine Geometrie sie rundet.</translation>
    </message>
    <message>
        <source>Zero blocks</source>
        <translation>Nullblöcke</translation>
    </message>
    <message>
        <source>Blocks that are not stored are said to be zero, not undefined.</source>
        <translation>Nicht gespeicherte Blöcke gelten als null, nicht als unbestimmt.</translation>
    </message>
    <message>
        <source>Log size</source>
        <translation>Protokollgröße</translation>
    </message>
    <message>
        <source>Bytes, whole MiB below 4 GiB. Few programs need a larger one.</source>
        <translation>Byte, ganze MiB unter 4 GiB. Wenige Programme brauchen mehr.</translation>
    </message>
    <message>
        <source>Adapter</source>
        <translation>Adapter</translation>
    </message>
    <message>
        <source>What the virtual machine sees the disk at.</source>
        <translation>Woran die virtuelle Maschine die Disk sieht.</translation>
    </message>
    <message>
        <source>Hardware version</source>
        <translation>Hardwareversion</translation>
    </message>
    <message>
        <source>Of the virtual machine; 4 opens everywhere.</source>
        <translation>Der virtuellen Maschine; 4 öffnet sich überall.</translation>
    </message>
    <message>
        <source>Tools version</source>
        <translation>Tools-Version</translation>
    </message>
    <message>
        <source>Of the VMware Tools inside of it, where that is known.</source>
        <translation>Der VMware Tools darin, soweit bekannt.</translation>
    </message>
    <message>
        <source>One file that grows (monolithicSparse)</source>
        <translation>Eine Datei, die wächst (monolithicSparse)</translation>
    </message>
    <message>
        <source>Compressed, for exchange (streamOptimized)</source>
        <translation>Komprimiert, zum Austausch (streamOptimized)</translation>
    </message>
    <message>
        <source>Fixed size</source>
        <translation>Feste Größe</translation>
    </message>
    <message>
        <source>On: every block has its place at once; off: the file grows as the guest writes.</source>
        <translation>Ein: Jeder Block hat sofort seinen Platz; aus: Die Datei wächst, während der Gast schreibt.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::History</name>
    <message>
        <source>Ended: %1</source>
        <translation>Beendet: %1</translation>
    </message>
    <message>
        <source>Source: %1</source>
        <translation>Quelle: %1</translation>
    </message>
    <message>
        <source>Target: %1</source>
        <translation>Ziel: %1</translation>
    </message>
    <message>
        <source>Device: %1, serial %2</source>
        <translation>Gerät: %1, Seriennummer %2</translation>
    </message>
    <message>
        <source>Size: %1</source>
        <translation>Größe: %1</translation>
    </message>
    <message>
        <source>Time: %1</source>
        <translation>Dauer: %1</translation>
    </message>
    <message>
        <source>Rate: %1</source>
        <translation>Rate: %1</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::HistoryPage</name>
    <message>
        <source>Save Report</source>
        <translation>Bericht speichern</translation>
    </message>
    <message>
        <source>report.txt</source>
        <translation>bericht.txt</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Nothing was converted yet. What ends is kept here, with its result.</source>
        <translation>Noch wurde nichts konvertiert. Was endet, wird hier mit seinem Ergebnis aufbewahrt.</translation>
    </message>
    <message>
        <source>serial %1</source>
        <translation>Seriennummer %1</translation>
    </message>
    <message>
        <source>Save the report of %1</source>
        <translation>Bericht zu %1 speichern</translation>
    </message>
    <message>
        <source>Again…</source>
        <translation>Nochmals…</translation>
    </message>
    <message>
        <source>%1 again</source>
        <translation>%1 nochmals</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ImageView</name>
    <message>
        <source>Pages of the image</source>
        <translation>Seiten des Abbilds</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Ebenen</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message numerus="yes">
        <source>It stands on %n file(s) that you have not allowed yet.</source>
        <translation>
            <numerusform>Es beruht auf %n Datei, die Sie noch nicht erlaubt haben.</numerusform>
            <numerusform>Es beruht auf %n Dateien, die Sie noch nicht erlaubt haben.</numerusform>
        </translation>
    </message>
    <message>
        <source>Show Layers</source>
        <translation>Ebenen anzeigen</translation>
    </message>
    <message>
        <source>Partitions</source>
        <translation>Partitionen</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Messreihe</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::JobPage</name>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>Wartet: %1</translation>
    </message>
    <message>
        <source>size not known yet</source>
        <translation>Größe noch nicht bekannt</translation>
    </message>
    <message>
        <source>of the compressed input</source>
        <translation>der komprimierten Eingabe</translation>
    </message>
    <message>
        <source>verified</source>
        <translation>geprüft</translation>
    </message>
    <message>
        <source>flushing</source>
        <translation>Puffer werden geleert</translation>
    </message>
    <message>
        <source>written</source>
        <translation>geschrieben</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>so far</source>
        <translation>bisher</translation>
    </message>
    <message>
        <source>No answer</source>
        <translation>Keine Antwort</translation>
    </message>
    <message>
        <source>for %1</source>
        <translation>seit %1</translation>
    </message>
    <message>
        <source>average %1</source>
        <translation>im Mittel %1</translation>
    </message>
    <message>
        <source>left</source>
        <translation>verbleibend</translation>
    </message>
    <message>
        <source>total</source>
        <translation>gesamt</translation>
    </message>
    <message>
        <source>written, average</source>
        <translation>geschrieben, im Mittel</translation>
    </message>
    <message>
        <source>zeroed</source>
        <translation>genullt</translation>
    </message>
    <message>
        <source>never allocated</source>
        <translation>nie belegt</translation>
    </message>
    <message>
        <source>%1 is the image. The %2 after it on %3 were not touched.</source>
        <translation>%1 sind das Abbild. Die %2 danach auf %3 wurden nicht angerührt.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>read back, average</source>
        <translation>zurückgelesen, im Mittel</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::JobRow</name>
    <message>
        <source>Remove %1 from the list</source>
        <translation>%1 aus der Liste entfernen</translation>
    </message>
    <message>
        <source>Cancel %1</source>
        <translation>%1 abbrechen</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>Aus der Liste entfernen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>Wartet: %1</translation>
    </message>
    <message>
        <source>Preparing</source>
        <translation>Vorbereitung</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>noch %1</translation>
    </message>
    <message>
        <source>Resume %1</source>
        <translation>%1 fortsetzen</translation>
    </message>
    <message>
        <source>Pause %1</source>
        <translation>%1 vorübergehend anhalten</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Anhalten</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::JobView</name>
    <message>
        <source>Pages of the job</source>
        <translation>Seiten des Auftrags</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>to %1</source>
        <comment>the target</comment>
        <translation>nach %1</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::JobsPane</name>
    <message>
        <source>Jobs</source>
        <translation>Aufträge</translation>
    </message>
    <message>
        <source>History</source>
        <translation>Verlauf</translation>
    </message>
    <message numerus="yes">
        <source>%n running</source>
        <translation>
            <numerusform>%n läuft</numerusform>
            <numerusform>%n laufen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n waiting</source>
        <translation>
            <numerusform>%n wartet</numerusform>
            <numerusform>%n warten</numerusform>
        </translation>
    </message>
    <message>
        <source>none running</source>
        <translation>keine laufen</translation>
    </message>
    <message numerus="yes">
        <source>%n served</source>
        <translation>
            <numerusform>%n bereitgestellt</numerusform>
            <numerusform>%n bereitgestellt</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::LayersPage</name>
    <message>
        <source>%1 on disk</source>
        <translation>%1 auf dem Datenträger</translation>
    </message>
    <message>
        <source>clusters of %1</source>
        <translation>Cluster zu %1</translation>
    </message>
    <message>
        <source>format by its content</source>
        <translation>Format dem Inhalt nach</translation>
    </message>
    <message>
        <source>compressed</source>
        <translation>komprimiert</translation>
    </message>
    <message>
        <source>encrypted</source>
        <translation>verschlüsselt</translation>
    </message>
    <message>
        <source>One compressed file, without layers.</source>
        <translation>Eine komprimierte Datei, ohne Ebenen.</translation>
    </message>
    <message>
        <source>stands on</source>
        <translation>beruht auf</translation>
    </message>
    <message>
        <source>It names a file that was not opened. An image can name any file of yours: allow it only if you expect it.</source>
        <translation>Es nennt eine Datei, die nicht geöffnet wurde. Ein Abbild kann jede Ihrer Dateien nennen: Erlauben Sie es nur, wenn Sie es erwarten.</translation>
    </message>
    <message>
        <source>%1 (not there)</source>
        <translation>%1 (nicht vorhanden)</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>Erlauben</translation>
    </message>
    <message>
        <source>Allow %1</source>
        <translation>%1 erlauben</translation>
    </message>
    <message>
        <source>Snapshots inside of it</source>
        <translation>Enthaltene Schnappschüsse</translation>
    </message>
    <message>
        <source>Snapshots</source>
        <translation>Schnappschüsse</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Taken</source>
        <translation>Erstellt</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Datenträger</translation>
    </message>
    <message>
        <source>Machine state</source>
        <translation>Maschinenzustand</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::LimitWords</name>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>assumed</source>
        <translation>angenommen</translation>
    </message>
    <message>
        <source>The device says %1, which cannot be. %2 is used instead.</source>
        <translation>Das Gerät nennt %1, was nicht sein kann. Stattdessen gilt %2.</translation>
    </message>
    <message>
        <source>The device does not say. %1 is used. %2</source>
        <translation>Das Gerät nennt nichts. Es gilt %1. %2</translation>
    </message>
    <message>
        <source>Logical block</source>
        <translation>Logischer Block</translation>
    </message>
    <message>
        <source>Offsets and lengths are multiples of it; partition tables count in it.</source>
        <translation>Stellen und Längen sind Vielfache davon; Partitionstabellen zählen darin.</translation>
    </message>
    <message>
        <source>not reported</source>
        <translation>nicht gemeldet</translation>
    </message>
    <message>
        <source>Physical block</source>
        <translation>Physischer Block</translation>
    </message>
    <message>
        <source>A write of less costs the device a read first.</source>
        <translation>Weniger zu schreiben kostet das Gerät zuerst ein Lesen.</translation>
    </message>
    <message>
        <source>Minimum I/O</source>
        <translation>Kleinste Ein-/Ausgabe</translation>
    </message>
    <message>
        <source>The smallest request without a penalty; on a RAID, one strip.</source>
        <translation>Die kleinste Anfrage ohne Nachteil; bei einem RAID ein Streifenstück.</translation>
    </message>
    <message>
        <source>Optimal I/O</source>
        <translation>Optimale Ein-/Ausgabe</translation>
    </message>
    <message>
        <source>Requests are made multiples of it; on a RAID, one stripe.</source>
        <translation>Anfragen werden Vielfache davon; bei einem RAID ein ganzer Streifen.</translation>
    </message>
    <message>
        <source>Requests start near 1 MiB and are tuned on the copy itself.</source>
        <translation>Anfragen beginnen bei etwa 1 MiB und werden beim Kopieren abgestimmt.</translation>
    </message>
    <message>
        <source>The device says %1, which is no multiple of its blocks. It is not used.</source>
        <translation>Das Gerät nennt %1, kein Vielfaches seiner Blöcke. Es wird nicht verwendet.</translation>
    </message>
    <message>
        <source>Alignment offset</source>
        <translation>Versatz</translation>
    </message>
    <message>
        <source>Physical blocks begin there, not at byte 0: partitions must too.</source>
        <translation>Physische Blöcke beginnen dort, nicht bei Byte 0: Partitionen müssen es auch.</translation>
    </message>
    <message>
        <source>Physical blocks begin at byte 0.</source>
        <translation>Physische Blöcke beginnen bei Byte 0.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Max transfer</source>
        <translation>Größte Übertragung</translation>
    </message>
    <message>
        <source>The kernel splits longer requests; it does not cap yours.</source>
        <translation>Der Kernel teilt längere Anfragen; er begrenzt sie nicht.</translation>
    </message>
    <message>
        <source>This driver takes requests whole: nothing is split here.</source>
        <translation>Dieser Treiber nimmt Anfragen ganz: Hier wird nichts geteilt.</translation>
    </message>
    <message>
        <source>Max hardware transfer</source>
        <translation>Größte Übertragung der Hardware</translation>
    </message>
    <message>
        <source>Binds only commands sent past the block layer (SG_IO).</source>
        <translation>Gilt nur für Befehle an der Blockschicht vorbei (SG_IO).</translation>
    </message>
    <message>
        <source>Max segments</source>
        <translation>Meiste Segmente</translation>
    </message>
    <message>
        <source>Memory scattered in single pages splits at %1.</source>
        <translation>In einzelne Seiten verstreuter Speicher wird bei %1 geteilt.</translation>
    </message>
    <message>
        <source>A command gathers any number of pieces of memory.</source>
        <translation>Ein Befehl sammelt beliebig viele Speicherstücke.</translation>
    </message>
    <message>
        <source>Max segment size</source>
        <translation>Größtes Segment</translation>
    </message>
    <message>
        <source>A longer piece of memory counts as several segments.</source>
        <translation>Ein längeres Speicherstück zählt als mehrere Segmente.</translation>
    </message>
    <message>
        <source>Segment boundary</source>
        <translation>Segmentgrenze</translation>
    </message>
    <message>
        <source>A buffer that begins or ends off it inside a request splits it.</source>
        <translation>Ein Puffer, der in einer Anfrage daneben beginnt oder endet, teilt sie.</translation>
    </message>
    <message>
        <source>Buffers of one request may have gaps between them.</source>
        <translation>Zwischen den Puffern einer Anfrage dürfen Lücken sein.</translation>
    </message>
    <message>
        <source>Queue depth</source>
        <translation>Warteschlange</translation>
    </message>
    <message>
        <source>So many requests the kernel holds for it; more wait in the program.</source>
        <translation>So viele Anfragen hält der Kernel dafür; weitere warten im Programm.</translation>
    </message>
    <message>
        <source>The driver works on requests at once, without a queue.</source>
        <translation>Der Treiber bearbeitet Anfragen sofort, ohne Warteschlange.</translation>
    </message>
    <message>
        <source>Zone size</source>
        <translation>Zonengröße</translation>
    </message>
    <message>
        <source>A zoned device: zones are written from their start on.</source>
        <translation>Ein Gerät mit Zonen: Sie werden von ihrem Anfang an beschrieben.</translation>
    </message>
    <message>
        <source>Chunk</source>
        <translation>Stückgrenze</translation>
    </message>
    <message>
        <source>The kernel splits at its multiples.</source>
        <translation>Der Kernel teilt an ihren Vielfachen.</translation>
    </message>
    <message>
        <source>Requests may lie anywhere.</source>
        <translation>Anfragen dürfen überall liegen.</translation>
    </message>
    <message>
        <source>no direct I/O</source>
        <translation>keine direkte Ein-/Ausgabe</translation>
    </message>
    <message>
        <source>needs rights to read</source>
        <translation>braucht Leserechte</translation>
    </message>
    <message>
        <source>Memory alignment</source>
        <translation>Ausrichtung im Speicher</translation>
    </message>
    <message>
        <source>Buffers off it are copied first. Ours are at %1.</source>
        <translation>Puffer daneben werden zuerst kopiert. Unsere liegen bei %1.</translation>
    </message>
    <message>
        <source>Offset alignment</source>
        <translation>Ausrichtung der Stellen</translation>
    </message>
    <message>
        <source>Direct requests start and end on it; other ends go through the page cache.</source>
        <translation>Direkte Anfragen beginnen und enden darauf; andere Enden gehen durch den Seitencache.</translation>
    </message>
    <message>
        <source>DMA alignment</source>
        <translation>DMA-Ausrichtung</translation>
    </message>
    <message>
        <source>What the controller&apos;s memory access needs.</source>
        <translation>Was der Speicherzugriff des Controllers braucht.</translation>
    </message>
    <message>
        <source>Write zeroes</source>
        <translation>Nullen schreiben</translation>
    </message>
    <message>
        <source>One command can zero this much; how fast shows only in use.</source>
        <translation>So viel kann ein Befehl nullen; wie schnell, zeigt sich erst im Gebrauch.</translation>
    </message>
    <message>
        <source>Zeroes are written like data.</source>
        <translation>Nullen werden wie Daten geschrieben.</translation>
    </message>
    <message>
        <source>not offered</source>
        <translation>nicht angeboten</translation>
    </message>
    <message>
        <source>Write zeroes, unmapping</source>
        <translation>Nullen schreiben mit Freigabe</translation>
    </message>
    <message>
        <source>Zeroing may also free the space behind it.</source>
        <translation>Nullen darf auch den Platz dahinter freigeben.</translation>
    </message>
    <message>
        <source>Zeroing does not free space.</source>
        <translation>Nullen gibt keinen Platz frei.</translation>
    </message>
    <message>
        <source>Discard granularity</source>
        <translation>Schritt beim Verwerfen</translation>
    </message>
    <message>
        <source>Frees whole steps only. Never a promise of zeroes.</source>
        <translation>Gibt nur ganze Schritte frei. Nie ein Versprechen von Nullen.</translation>
    </message>
    <message>
        <source>Nothing can be discarded.</source>
        <translation>Nichts kann verworfen werden.</translation>
    </message>
    <message>
        <source>Max discard</source>
        <translation>Größtes Verwerfen</translation>
    </message>
    <message>
        <source>One command can free this much.</source>
        <translation>So viel kann ein Befehl freigeben.</translation>
    </message>
    <message>
        <source>The device takes no discard.</source>
        <translation>Das Gerät nimmt kein Verwerfen an.</translation>
    </message>
    <message>
        <source>Rotates</source>
        <translation>Dreht sich</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>ja</translation>
    </message>
    <message>
        <source>no</source>
        <translation>nein</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>nicht bekannt</translation>
    </message>
    <message>
        <source>Seeks are expensive: few requests at once, in order.</source>
        <translation>Suchen ist teuer: wenige Anfragen zugleich, der Reihe nach.</translation>
    </message>
    <message>
        <source>Many requests at once pay.</source>
        <translation>Viele Anfragen zugleich lohnen sich.</translation>
    </message>
    <message>
        <source>It reports logical blocks of %1, which cannot be.</source>
        <translation>Es meldet logische Blöcke von %1, was nicht sein kann.</translation>
    </message>
    <message>
        <source>It reports physical blocks of %1, which cannot be.</source>
        <translation>Es meldet physische Blöcke von %1, was nicht sein kann.</translation>
    </message>
    <message>
        <source>It reports a minimum I/O size of %1, which cannot be.</source>
        <translation>Es meldet eine kleinste Ein-/Ausgabe von %1, was nicht sein kann.</translation>
    </message>
    <message>
        <source>It reports an optimal I/O size of %1, which cannot be.</source>
        <translation>Es meldet eine optimale Ein-/Ausgabe von %1, was nicht sein kann.</translation>
    </message>
    <message>
        <source>Its max transfer (%1) is above what its hardware takes (%2).</source>
        <translation>Seine größte Übertragung (%1) ist mehr, als seine Hardware annimmt (%2).</translation>
    </message>
    <message>
        <source>Its first physical block begins at byte %1.</source>
        <translation>Sein erster physischer Block beginnt bei Byte %1.</translation>
    </message>
    <message>
        <source>Partition %1 begins inside a physical block of %2: writes at block ends cost a read first.</source>
        <translation>Partition %1 beginnt innerhalb eines physischen Blocks von %2: Schreiben an Blockenden kostet zuerst ein Lesen.</translation>
    </message>
    <message>
        <source>Partition %1 does not begin on a multiple of the optimal size of %2.</source>
        <translation>Partition %1 beginnt nicht bei einem Vielfachen der optimalen Größe von %2.</translation>
    </message>
    <message>
        <source>Its partition table was made for 512-byte sectors; with sectors of %1 nothing finds its partitions.</source>
        <translation>Seine Partitionstabelle ist für Sektoren zu 512 Byte; mit Sektoren von %1 findet nichts seine Partitionen.</translation>
    </message>
    <message>
        <source>Its partition table was made for 4096-byte sectors; with sectors of %1 nothing finds its partitions.</source>
        <translation>Seine Partitionstabelle ist für Sektoren zu 4096 Byte; mit Sektoren von %1 findet nichts seine Partitionen.</translation>
    </message>
    <message numerus="yes">
        <source>%n command(s)</source>
        <translation>
            <numerusform>%n Befehl</numerusform>
            <numerusform>%n Befehle</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message numerus="yes">
        <source>%n read-modify-write(s)</source>
        <translation>
            <numerusform>%n Lesen-Ändern-Schreiben</numerusform>
            <numerusform>%n Lesen-Ändern-Schreiben</numerusform>
        </translation>
    </message>
    <message>
        <source>The kernel splits at %1.</source>
        <translation>Der Kernel teilt bei %1.</translation>
    </message>
    <message>
        <source>The kernel splits at the most segments a command takes.</source>
        <translation>Der Kernel teilt bei den meisten Segmenten, die ein Befehl nimmt.</translation>
    </message>
    <message>
        <source>The kernel splits at each multiple of %1.</source>
        <translation>Der Kernel teilt bei jedem Vielfachen von %1.</translation>
    </message>
    <message>
        <source>The kernel gathers at most 256 pages in one piece.</source>
        <translation>Der Kernel sammelt höchstens 256 Seiten in ein Stück.</translation>
    </message>
    <message>
        <source>Both ends cut a block of %1.</source>
        <translation>Beide Enden schneiden einen Block von %1 an.</translation>
    </message>
    <message>
        <source>One block of %1 is written in part.</source>
        <translation>Ein Block von %1 wird teilweise geschrieben.</translation>
    </message>
    <message numerus="yes">
        <source>%n command(s) where memory lies in single pages.</source>
        <translation>
            <numerusform>%n Befehl, wo der Speicher in einzelnen Seiten liegt.</numerusform>
            <numerusform>%n Befehle, wo der Speicher in einzelnen Seiten liegt.</numerusform>
        </translation>
    </message>
    <message>
        <source>It goes to the device as it is.</source>
        <translation>Sie geht unverändert an das Gerät.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::LimitsPage</name>
    <message>
        <source>Size of the request</source>
        <translation>Größe der Anfrage</translation>
    </message>
    <message>
        <source>Offset of the request</source>
        <translation>Stelle der Anfrage</translation>
    </message>
    <message>
        <source>at offset</source>
        <translation>an der Stelle</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>Grenzen</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>What it means</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>replaced</source>
        <translation>ersetzt</translation>
    </message>
    <message>
        <source>Not possible</source>
        <translation>Nicht möglich</translation>
    </message>
    <message>
        <source>Size and offset must be multiples of the logical block of %1.</source>
        <translation>Größe und Stelle müssen Vielfache des logischen Blocks von %1 sein.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::LimitsPicture</name>
    <message>
        <source>Limits and a request</source>
        <translation>Grenzen und eine Anfrage</translation>
    </message>
    <message>
        <source>Request of %1</source>
        <translation>Anfrage von %1</translation>
    </message>
    <message>
        <source>Logical</source>
        <translation>Logisch</translation>
    </message>
    <message>
        <source>Physical</source>
        <translation>Physisch</translation>
    </message>
    <message>
        <source>Optimal</source>
        <translation>Optimal</translation>
    </message>
    <message>
        <source>Max transfer</source>
        <translation>Größte Übertragung</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>Grenze</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>What it means</source>
        <translation>Bedeutung</translation>
    </message>
    <message>
        <source>Segments</source>
        <translation>Segmente</translation>
    </message>
    <message>
        <source>%1 × 4 KiB pages</source>
        <translation>%1 Seiten zu 4 KiB</translation>
    </message>
    <message>
        <source>not reported</source>
        <translation>nicht gemeldet</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>copied below %1, allocated at %2</source>
        <translation>unter %1 kopiert, bei %2 belegt</translation>
    </message>
    <message>
        <source>no direct I/O</source>
        <translation>keine direkte Ein-/Ausgabe</translation>
    </message>
    <message>
        <source>known once it may be read</source>
        <translation>bekannt, sobald es gelesen werden darf</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>%1 steps, up to %2</source>
        <translation>Schritte von %1, bis %2</translation>
    </message>
    <message>
        <source>not offered</source>
        <translation>nicht angeboten</translation>
    </message>
    <message>
        <source>Request %1</source>
        <translation>Anfrage %1</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::LogPage</name>
    <message>
        <source>Log</source>
        <translation>Protokoll</translation>
    </message>
    <message>
        <source>Nothing was done yet.</source>
        <translation>Noch wurde nichts getan.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::MainActions</name>
    <message>
        <source>&amp;Open…</source>
        <translation>Ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>&amp;Convert…</source>
        <translation>&amp;Konvertieren…</translation>
    </message>
    <message>
        <source>Ctrl+E</source>
        <translation>Ctrl+E</translation>
    </message>
    <message>
        <source>&amp;Write to Device…</source>
        <translation>Auf Gerät &amp;schreiben…</translation>
    </message>
    <message>
        <source>Ctrl+D</source>
        <translation>Ctrl+D</translation>
    </message>
    <message>
        <source>E&amp;xport…</source>
        <translation>E&amp;xportieren…</translation>
    </message>
    <message>
        <source>Ctrl+N</source>
        <translation>Ctrl+N</translation>
    </message>
    <message>
        <source>&amp;Verify…</source>
        <translation>&amp;Prüfen…</translation>
    </message>
    <message>
        <source>Ctrl+R</source>
        <translation>Ctrl+R</translation>
    </message>
    <message>
        <source>&amp;History</source>
        <translation>&amp;Verlauf</translation>
    </message>
    <message>
        <source>Ctrl+H</source>
        <translation>Ctrl+H</translation>
    </message>
    <message>
        <source>&amp;Preferences…</source>
        <translation>&amp;Einstellungen…</translation>
    </message>
    <message>
        <source>&amp;About Disklathe</source>
        <translation>&amp;Über Disklathe</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Werkzeuge</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>Menü</translation>
    </message>
    <message>
        <source>About Disklathe</source>
        <translation>Über Disklathe</translation>
    </message>
    <message>
        <source>Disklathe %1

Inspects and converts disk images, and writes them to devices.

GNU General Public License 3 or later.</source>
        <translation>Disklathe %1

Untersucht und konvertiert Datenträgerabbilder und schreibt sie auf Geräte.

GNU General Public License 3 oder später.</translation>
    </message>
    <message>
        <source>Make &amp;Image…</source>
        <translation>Abbild erste&amp;llen…</translation>
    </message>
    <message>
        <source>Ctrl+I</source>
        <translation>Ctrl+I</translation>
    </message>
    <message>
        <source>An image file of the device that is shown</source>
        <translation>Eine Abbilddatei des gezeigten Geräts</translation>
    </message>
    <message>
        <source>For an image: open one, or choose it on the left</source>
        <translation>Für ein Abbild: eines öffnen, oder es links auswählen</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::MainJobs</name>
    <message>
        <source>It was not ejected</source>
        <translation>Es wurde nicht ausgeworfen</translation>
    </message>
    <message>
        <source>Save Report</source>
        <translation>Bericht speichern</translation>
    </message>
    <message>
        <source>report.txt</source>
        <translation>bericht.txt</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::MainWindow</name>
    <message>
        <source>Disklathe</source>
        <translation>Disklathe</translation>
    </message>
    <message>
        <source>Open Disk Images</source>
        <translation>Datenträgerabbilder öffnen</translation>
    </message>
    <message>
        <source>It was not opened</source>
        <translation>Es wurde nicht geöffnet</translation>
    </message>
    <message>
        <source>%1 is not a file on this computer.</source>
        <translation>%1 ist keine Datei auf diesem Rechner.</translation>
    </message>
    <message>
        <source>It is still mounted</source>
        <translation>Es ist noch eingehängt</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::MapLegend</name>
    <message>
        <source>Legend</source>
        <translation>Legende</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::MethodBars</name>
    <message>
        <source>Ways to zero</source>
        <translation>Arten des Nullens</translation>
    </message>
    <message>
        <source>not offered</source>
        <translation>nicht angeboten</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>etwa %1</translation>
    </message>
    <message>
        <source>%1: %2. %3</source>
        <translation>%1: %2. %3</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>Time for the whole device</source>
        <translation>Dauer für das ganze Gerät</translation>
    </message>
    <message>
        <source>What it promises</source>
        <translation>Was es verspricht</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::OpenImage</name>
    <message>
        <source>%1, %2-byte sectors</source>
        <translation>%1, Sektoren zu %2 Byte</translation>
    </message>
    <message>
        <source>raw in %1</source>
        <translation>raw in %1</translation>
    </message>
    <message>
        <source>Looking at it</source>
        <translation>Wird untersucht</translation>
    </message>
    <message>
        <source>Cannot be read</source>
        <translation>Nicht lesbar</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>size, format</comment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Damaged</source>
        <translation>Beschädigt</translation>
    </message>
    <message>
        <source>Encrypted</source>
        <translation>Verschlüsselt</translation>
    </message>
    <message>
        <source>Asks</source>
        <translation>Rückfrage</translation>
    </message>
    <message>
        <source>A worker looks at it.</source>
        <translation>Ein Arbeitsprozess untersucht es.</translation>
    </message>
    <message>
        <source>holds %1</source>
        <translation>enthält %1</translation>
    </message>
    <message>
        <source>its size shows at the end</source>
        <translation>seine Größe zeigt sich am Ende</translation>
    </message>
    <message>
        <source>backing file %1</source>
        <translation>Basisdatei %1</translation>
    </message>
    <message>
        <source>data in %1</source>
        <translation>Daten in %1</translation>
    </message>
    <message numerus="yes">
        <source>%n snapshot(s)</source>
        <translation>
            <numerusform>%n Schnappschuss</numerusform>
            <numerusform>%n Schnappschüsse</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::OptionForm</name>
    <message>
        <source>Show &amp;all options</source>
        <translation>Alle &amp;Optionen anzeigen</translation>
    </message>
    <message>
        <source>the format&apos;s own choice</source>
        <translation>Vorgabe des Formats</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::PartitionsPage</name>
    <message>
        <source>Partitions</source>
        <translation>Partitionen</translation>
    </message>
    <message>
        <source>Partition</source>
        <translation>Partition</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>Used by</source>
        <translation>Benutzt von</translation>
    </message>
    <message>
        <source>Where they begin</source>
        <translation>Wo sie beginnen</translation>
    </message>
    <message>
        <source>What is on it is not known: it may not be read without rights.</source>
        <translation>Der Inhalt ist nicht bekannt: Ohne Rechte darf er nicht gelesen werden.</translation>
    </message>
    <message>
        <source>No partitions: %1.</source>
        <translation>Keine Partitionen: %1.</translation>
    </message>
    <message numerus="yes">
        <source>Partition table %1, %n partition(s), sectors of %2</source>
        <translation>
            <numerusform>Partitionstabelle %1, %n Partition, Sektoren zu %2</numerusform>
            <numerusform>Partitionstabelle %1, %n Partitionen, Sektoren zu %2</numerusform>
        </translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>nobody</source>
        <translation>niemandem</translation>
    </message>
    <message>
        <source>Its table counts in sectors of %1. On a device with sectors of another size nothing finds these partitions.</source>
        <translation>Die Tabelle zählt in Sektoren zu %1. Auf einem Gerät mit anderer Sektorgröße findet nichts diese Partitionen.</translation>
    </message>
    <message>
        <source>Where they begin, on a device with physical blocks of %1</source>
        <translation>Wo sie beginnen, auf einem Gerät mit physischen Blöcken von %1</translation>
    </message>
    <message>
        <source>It is compressed as a whole: its partitions show once it is converted.</source>
        <translation>Es ist als Ganzes komprimiert: Seine Partitionen zeigen sich nach dem Konvertieren.</translation>
    </message>
    <message>
        <source>It stands on files that you have not allowed yet.</source>
        <translation>Es beruht auf Dateien, die Sie noch nicht erlaubt haben.</translation>
    </message>
    <message>
        <source>It has no partition table, and nothing that is known begins at its start.</source>
        <translation>Es hat keine Partitionstabelle, und an seinem Anfang beginnt nichts Bekanntes.</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>content, name</comment>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>No file system or partition table that is known is on it. It may hold data all the same.</source>
        <translation>Darauf ist kein bekanntes Dateisystem und keine bekannte Partitionstabelle. Es kann trotzdem Daten enthalten.</translation>
    </message>
    <message>
        <source>%1, a partition table, is on it, but the kernel shows no partitions of it.</source>
        <translation>Darauf liegt eine Partitionstabelle (%1), aber der Kernel zeigt keine Partitionen davon.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::PhaseBar</name>
    <message>
        <source>%1 written, %2 zeroed</source>
        <translation>%1 geschrieben, %2 genullt</translation>
    </message>
    <message>
        <source>%1 of %2 read back</source>
        <translation>%1 von %2 zurückgelesen</translation>
    </message>
    <message>
        <source>after writing</source>
        <translation>nach dem Schreiben</translation>
    </message>
    <message>
        <source>reads all of it back</source>
        <translation>liest alles zurück</translation>
    </message>
    <message>
        <source>took %1</source>
        <translation>dauerte %1</translation>
    </message>
    <message>
        <source>stopped here</source>
        <translation>endete hier</translation>
    </message>
    <message>
        <source>Phases</source>
        <translation>Phasen</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::Picture</name>
    <message>
        <source>Show as &amp;Table…</source>
        <translation>Als &amp;Tabelle anzeigen…</translation>
    </message>
    <message>
        <source>&amp;Copy as CSV</source>
        <translation>Als &amp;CSV kopieren</translation>
    </message>
    <message>
        <source>&amp;Save as PNG…</source>
        <translation>Als &amp;PNG speichern…</translation>
    </message>
    <message>
        <source>Save Picture</source>
        <translation>Bild speichern</translation>
    </message>
    <message>
        <source>PNG pictures (*.png)</source>
        <translation>PNG-Bilder (*.png)</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::PlanBar</name>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>Bytes</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::PlanPanel</name>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Zero</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Auslassen</translation>
    </message>
    <message>
        <source>Request size</source>
        <translation>Anfragegröße</translation>
    </message>
    <message>
        <source>Zeroing</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>Durable</source>
        <translation>Dauerhaft</translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation>noch nicht bekannt</translation>
    </message>
    <message>
        <source>Chosen</source>
        <translation>Gewählt</translation>
    </message>
    <message>
        <source>To begin with. Tuned while copying: the fastest size is kept.</source>
        <translation>Für den Anfang. Wird beim Kopieren abgestimmt: Die schnellste Größe bleibt.</translation>
    </message>
    <message>
        <source>By how the source is stored. Tuned while copying.</source>
        <translation>Danach, wie die Quelle gespeichert ist. Wird beim Kopieren abgestimmt.</translation>
    </message>
    <message>
        <source>By command</source>
        <translation>Per Befehl</translation>
    </message>
    <message>
        <source>By writing</source>
        <translation>Durch Schreiben</translation>
    </message>
    <message>
        <source>Its command is timed; where writing is faster, zeroes are written.</source>
        <translation>Sein Befehl wird gemessen; wo Schreiben schneller ist, werden Nullen geschrieben.</translation>
    </message>
    <message>
        <source>The device offers no command for it.</source>
        <translation>Das Gerät bietet keinen Befehl dafür.</translation>
    </message>
    <message>
        <source>Before verifying</source>
        <translation>Vor dem Prüfen</translation>
    </message>
    <message>
        <source>Flushed to the medium, then read back past the caches.</source>
        <translation>Auf das Medium gebracht, dann an den Caches vorbei zurückgelesen.</translation>
    </message>
    <message>
        <source>None needed</source>
        <translation>Nicht nötig</translation>
    </message>
    <message>
        <source>A fresh file already reads as zero.</source>
        <translation>Eine neue Datei besteht bereits aus Nullen.</translation>
    </message>
    <message>
        <source>At the end</source>
        <translation>Am Ende</translation>
    </message>
    <message>
        <source>One flush, then the rename, then the folder.</source>
        <translation>Erst die Daten, dann der Name, dann der Ordner.</translation>
    </message>
    <message>
        <source>Needs %1, the device has %2</source>
        <translation>Braucht %1, das Gerät hat %2</translation>
    </message>
    <message>
        <source>Image needs %1 more</source>
        <translation>Das Abbild braucht %1 mehr</translation>
    </message>
    <message>
        <source>%1 free</source>
        <translation>%1 frei</translation>
    </message>
    <message>
        <source>Needs at most %1, %2 free</source>
        <translation>Braucht höchstens %1, %2 frei</translation>
    </message>
    <message>
        <source>Needs %1, %2 free</source>
        <translation>Braucht %1, %2 frei</translation>
    </message>
    <message>
        <source>verify included</source>
        <translation>einschließlich Prüfen</translation>
    </message>
    <message>
        <source>without verifying</source>
        <translation>ohne Prüfen</translation>
    </message>
    <message>
        <source>By how fast it was before.</source>
        <translation>Nach der früheren Geschwindigkeit.</translation>
    </message>
    <message>
        <source>By what devices of its kind do: none was measured here yet.</source>
        <translation>Nach dem, was Geräte dieser Art leisten: Hier wurde noch keines gemessen.</translation>
    </message>
    <message>
        <source>A guess: nothing was measured here yet.</source>
        <translation>Eine Schätzung: Hier wurde noch nichts gemessen.</translation>
    </message>
    <message>
        <source>What will be done shows here, once it is chosen where.</source>
        <translation>Was getan wird, steht hier, sobald gewählt ist, wohin.</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>höchstens %1</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::PreferencesDialog</name>
    <message>
        <source>Preferences</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>&amp;Verify what is written, by reading it back</source>
        <translation>Geschriebenes durch Zurücklesen &amp;prüfen</translation>
    </message>
    <message>
        <source>&amp;Notify when a job ends and the window is not in front</source>
        <translation>&amp;Benachrichtigen, wenn ein Auftrag endet und das Fenster nicht vorn ist</translation>
    </message>
    <message>
        <source>&amp;Colours</source>
        <translation>&amp;Farben</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>As the desktop has them</source>
        <translation>Wie die Arbeitsumgebung</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ProblemBox</name>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::RatePlot</name>
    <message>
        <source>Rate over the position</source>
        <translation>Rate über der Position</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 bei %2</translation>
    </message>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Written, MB/s</source>
        <translation>Geschrieben, MB/s</translation>
    </message>
    <message>
        <source>Read back, MB/s</source>
        <translation>Zurückgelesen, MB/s</translation>
    </message>
    <message>
        <source>MB/s over the position</source>
        <translation>MB/s über der Position</translation>
    </message>
    <message>
        <source>filled: reading back, thin: the write</source>
        <translation>gefüllt: Zurücklesen, dünn: Schreiben</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::RequestSplit</name>
    <message>
        <source>How this request is carried out</source>
        <translation>Wie diese Anfrage ausgeführt wird</translation>
    </message>
    <message>
        <source>%1 at byte %2</source>
        <translation>%1 bei Byte %2</translation>
    </message>
    <message numerus="yes">
        <source>%1, in %n command(s)</source>
        <translation>
            <numerusform>%1, in %n Befehl</numerusform>
            <numerusform>%1, in %n Befehlen</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, a block is read first</source>
        <translation>%1, ein Block wird zuerst gelesen</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>What</source>
        <translation>Was</translation>
    </message>
    <message numerus="yes">
        <source>%n more command(s)</source>
        <translation>
            <numerusform>%n weiterer Befehl</numerusform>
            <numerusform>%n weitere Befehle</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ResultCard</name>
    <message>
        <source>Save Report…</source>
        <translation>Bericht speichern…</translation>
    </message>
    <message>
        <source>Eject</source>
        <translation>Auswerfen</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Choose Another…</source>
        <translation>Anderes wählen…</translation>
    </message>
    <message>
        <source>Try Again…</source>
        <translation>Erneut versuchen…</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ResultWords</name>
    <message>
        <source>Verified: %1 read back</source>
        <translation>Geprüft: %1 zurückgelesen</translation>
    </message>
    <message>
        <source>Written, not verified</source>
        <translation>Geschrieben, nicht geprüft</translation>
    </message>
    <message>
        <source>Differs at byte %1</source>
        <translation>Weicht ab bei Byte %1</translation>
    </message>
    <message>
        <source>Failed: %1 was unplugged at %2.</source>
        <translation>Fehlgeschlagen: %1 wurde bei %2 getrennt.</translation>
    </message>
    <message>
        <source>Failed: %1</source>
        <translation>Fehlgeschlagen: %1</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>Fertig</translation>
    </message>
    <message>
        <source>Every byte came back from %1, past this computer&apos;s caches.</source>
        <translation>Jedes Byte kam von %1 zurück, an den Caches dieses Rechners vorbei.</translation>
    </message>
    <message>
        <source>Every byte of %1 was read back and is the same.</source>
        <translation>Jedes Byte von %1 wurde zurückgelesen und ist gleich.</translation>
    </message>
    <message>
        <source>It is flushed to %1. Nothing was read back.</source>
        <translation>Es ist auf %1 gesichert. Nichts wurde zurückgelesen.</translation>
    </message>
    <message>
        <source>%1 returned other bytes than were written. Do not use its contents.</source>
        <translation>%1 gab andere Bytes zurück, als geschrieben wurden. Verwenden Sie den Inhalt nicht.</translation>
    </message>
    <message>
        <source>The file %1 is as it was.</source>
        <translation>Die Datei %1 ist unverändert.</translation>
    </message>
    <message>
        <source>Nothing was left under the name %1.</source>
        <translation>Unter dem Namen %1 blieb nichts zurück.</translation>
    </message>
    <message>
        <source>Nothing was written to %1.</source>
        <translation>Auf %1 wurde nichts geschrieben.</translation>
    </message>
    <message>
        <source>All of it is written to %1 and flushed, but was not read back to the end.</source>
        <translation>Alles ist auf %1 geschrieben und gesichert, wurde aber nicht bis zum Ende zurückgelesen.</translation>
    </message>
    <message>
        <source>%1 is incomplete: part of it is new, the rest is old.</source>
        <translation>%1 ist unvollständig: Ein Teil ist neu, der Rest alt.</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 und %2</translation>
    </message>
    <message>
        <source>Zero %1</source>
        <translation>%1 nullen</translation>
    </message>
    <message>
        <source>Sweep of %1</source>
        <translation>Messreihe von %1</translation>
    </message>
    <message>
        <source>Inspect</source>
        <translation>Untersuchen</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>Belegung</translation>
    </message>
    <message>
        <source>Convert</source>
        <translation>Konvertieren</translation>
    </message>
    <message>
        <source>Zero</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Messreihe</translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation>Vorbereiten</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Flush</source>
        <translation>Sichern</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1, %2 of the compressed input</source>
        <translation>%1, %2 der komprimierten Eingabe</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>Writing, 62 %</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>No answer for %1</source>
        <translation>Keine Antwort seit %1</translation>
    </message>
    <message>
        <source>Preparing</source>
        <translation>Vorbereitung</translation>
    </message>
    <message>
        <source>Measuring</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Zeroing</source>
        <translation>Nullen</translation>
    </message>
    <message>
        <source>Writing</source>
        <translation>Schreiben</translation>
    </message>
    <message>
        <source>Flushing</source>
        <translation>Sichern</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>Vergleichen</translation>
    </message>
    <message>
        <source>Verifying</source>
        <translation>Prüfen</translation>
    </message>
    <message>
        <source>Finishing</source>
        <translation>Abschließen</translation>
    </message>
    <message>
        <source>If cancelled now, nothing is changed.</source>
        <translation>Bei Abbruch jetzt wird nichts geändert.</translation>
    </message>
    <message>
        <source>If cancelled now, %1 is as it was.</source>
        <translation>Bei Abbruch jetzt bleibt %1 unverändert.</translation>
    </message>
    <message>
        <source>If cancelled now, no file is left: it appears once it is complete.</source>
        <translation>Bei Abbruch jetzt bleibt keine Datei zurück: Sie erscheint erst, wenn sie vollständig ist.</translation>
    </message>
    <message>
        <source>If cancelled now, everything is written and flushed, but %1 are not verified.</source>
        <translation>Bei Abbruch jetzt ist alles geschrieben und gesichert, aber %1 sind nicht geprüft.</translation>
    </message>
    <message>
        <source>If cancelled now, %1 is zero in part.</source>
        <translation>Bei Abbruch jetzt ist %1 teilweise genullt.</translation>
    </message>
    <message>
        <source>If cancelled now, %1 is incomplete: its first %2 are new, the rest is old.</source>
        <translation>Bei Abbruch jetzt ist %1 unvollständig: Die ersten %2 sind neu, der Rest ist alt.</translation>
    </message>
    <message>
        <source>%1 is busy. Starts after %2.</source>
        <translation>%1 ist beschäftigt. Beginnt nach %2.</translation>
    </message>
    <message>
        <source>Checksum</source>
        <translation>Prüfsumme</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Export</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>A part of %1 was overwritten.</source>
        <translation>Ein Teil von %1 wurde überschrieben.</translation>
    </message>
    <message>
        <source>The system still sees the old partitions until it is plugged in again.</source>
        <translation>Das System sieht die alten Partitionen, bis es erneut eingesteckt wird.</translation>
    </message>
    <message>
        <source>%1 are free there; the whole image is %2.</source>
        <translation>Dort sind %1 frei; das ganze Abbild hat %2.</translation>
    </message>
    <message>
        <source>Of the scratch file nothing stays.</source>
        <translation>Von der Hilfsdatei bleibt nichts.</translation>
    </message>
    <message>
        <source>Sweep on %1</source>
        <comment>a folder</comment>
        <translation>Messreihe auf %1</translation>
    </message>
    <message>
        <source>If cancelled now, a part of %1 is overwritten.</source>
        <translation>Bei Abbruch jetzt ist ein Teil von %1 überschrieben.</translation>
    </message>
    <message>
        <source>Differ at byte %1</source>
        <translation>Verschieden ab Byte %1</translation>
    </message>
    <message>
        <source>The same</source>
        <translation>Gleich</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>device, kernel name</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 was in use, and changed while it was read: the image may not fit together. Unmount it, then make the image again.</source>
        <translation>%1 war in Benutzung und hat sich geändert, während es gelesen wurde: Das Abbild passt womöglich nicht zusammen. Hängen Sie es aus und erstellen Sie das Abbild erneut.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::SidePane</name>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Images</source>
        <translation>Abbilder</translation>
    </message>
    <message>
        <source>None open</source>
        <translation>Keine geöffnet</translation>
    </message>
    <message>
        <source>&amp;Look Again</source>
        <translation>&amp;Erneut untersuchen</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>&amp;Schließen</translation>
    </message>
    <message>
        <source>Make &amp;Image…</source>
        <translation>Abbild erste&amp;llen…</translation>
    </message>
    <message>
        <source>&amp;Unmount</source>
        <translation>A&amp;ushängen</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::Sizes</name>
    <message>
        <source>bytes</source>
        <comment>after an exact, large number</comment>
        <translation>Byte</translation>
    </message>
    <message>
        <source>under %1</source>
        <translation>unter %1</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::SleepInhibitor</name>
    <message>
        <source>Disklathe</source>
        <translation>Disklathe</translation>
    </message>
    <message>
        <source>A disk image is being written</source>
        <translation>Ein Datenträgerabbild wird geschrieben</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::SweepPage</name>
    <message>
        <source>What to measure</source>
        <translation>Was gemessen wird</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>E&amp;xportieren…</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Messen</translation>
    </message>
    <message>
        <source>Not measured yet. A run reads parts of the device with requests of 4 KiB to 16 MiB, and finds the size beyond which nothing is gained.</source>
        <translation>Noch nicht gemessen. Eine Messung liest Teile des Geräts mit Anfragen von 4 KiB bis 16 MiB und findet die Größe, ab der nichts mehr gewonnen wird.</translation>
    </message>
    <message>
        <source>the request size to use</source>
        <translation>die geeignete Anfragegröße</translation>
    </message>
    <message>
        <source>&amp;Run Again</source>
        <translation>Erneut &amp;messen</translation>
    </message>
    <message>
        <source>Reads at most %1 in about %2. Writes nothing.</source>
        <translation>Liest höchstens %1 in etwa %2. Schreibt nichts.</translation>
    </message>
    <message>
        <source>%1, p99 %2 ms</source>
        <translation>%1, p99 %2 ms</translation>
    </message>
    <message>
        <source>%1 of the best rate. Larger requests gain nothing and wait longer.</source>
        <translation>%1 der besten Rate. Größere Anfragen gewinnen nichts und warten länger.</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>%1 bei %2</translation>
    </message>
    <message>
        <source>Too large requests slow this device down.</source>
        <translation>Zu große Anfragen bremsen dieses Gerät.</translation>
    </message>
    <message>
        <source>%1 over %2</source>
        <translation>%1 gegenüber %2</translation>
    </message>
    <message>
        <source>At the same size, against the run before.</source>
        <translation>Bei derselben Größe, verglichen mit der vorigen Messung.</translation>
    </message>
    <message>
        <source>Waiting: %1</source>
        <translation>Wartet: %1</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>Tabelle (*.csv)</translation>
    </message>
    <message>
        <source>Picture (*.png)</source>
        <translation>Bild (*.png)</translation>
    </message>
    <message>
        <source>Export the Sweep</source>
        <translation>Messreihe exportieren</translation>
    </message>
    <message>
        <source>sweep.csv</source>
        <translation>messreihe.csv</translation>
    </message>
    <message>
        <source>Read, one request at a time</source>
        <translation>Lesen, eine Anfrage nach der anderen</translation>
    </message>
    <message>
        <source>Read, four requests in flight</source>
        <translation>Lesen, vier Anfragen zugleich</translation>
    </message>
    <message>
        <source>Read, sixteen in flight</source>
        <translation>Lesen, sechzehn zugleich</translation>
    </message>
    <message>
        <source>Write, one request at a time (erases)</source>
        <translation>Schreiben, eine nach der anderen (löscht)</translation>
    </message>
    <message>
        <source>Write, sixteen in flight (erases)</source>
        <translation>Schreiben, sechzehn zugleich (löscht)</translation>
    </message>
    <message>
        <source>Write to a scratch file on it</source>
        <translation>In eine Hilfsdatei darauf schreiben</translation>
    </message>
    <message>
        <source>Writes over the first %1 for about %2. Asks first.</source>
        <translation>Überschreibt etwa %2 lang die ersten %1. Fragt vorher nach.</translation>
    </message>
    <message>
        <source>Needs %1 of room for about %2. Nothing stays.</source>
        <translation>Braucht etwa %2 lang %1 Platz. Nichts bleibt zurück.</translation>
    </message>
    <message>
        <source>There is no room for a scratch file.</source>
        <translation>Für eine Hilfsdatei ist kein Platz.</translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) in flight, %1 rounds of each size, in turn.</source>
        <translation>
            <numerusform>%n Anfrage zugleich, %1 Runden je Größe, abwechselnd.</numerusform>
            <numerusform>%n Anfragen zugleich, %1 Runden je Größe, abwechselnd.</numerusform>
        </translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>Messreihe</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>Not measured yet. A run writes requests of 4 KiB to 16 MiB, and finds the size beyond which nothing is gained.</source>
        <translation>Noch nicht gemessen. Ein Durchlauf schreibt Anfragen von 4 KiB bis 16 MiB und findet die Größe, ab der nichts mehr gewonnen wird.</translation>
    </message>
    <message>
        <source>It is in memory: what is measured is copying.</source>
        <translation>Es liegt im Arbeitsspeicher: Gemessen wird das Kopieren.</translation>
    </message>
    <message>
        <source>Parts of it are holes, which no device is asked for: that is not its speed.</source>
        <translation>Teile davon sind Löcher, nach denen kein Gerät gefragt wird: Das ist nicht seine Geschwindigkeit.</translation>
    </message>
    <message>
        <source>Not measured yet. A run reads parts of the file with requests of 4 KiB to 16 MiB, and finds the size beyond which nothing is gained.</source>
        <translation>Noch nicht gemessen. Ein Durchgang liest Teile der Datei mit Anfragen von 4 KiB bis 16 MiB und findet die Größe, jenseits derer nichts gewonnen wird.</translation>
    </message>
    <message>
        <source>Too small for this: it takes 1 MiB and more.</source>
        <translation>Zu klein dafür: Es braucht mindestens 1 MiB.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::SweepPlot</name>
    <message>
        <source>Rate by the size of requests</source>
        <translation>Rate nach Größe der Anfragen</translation>
    </message>
    <message>
        <source>%1: %2, p50 %3 ms, p99 %4 ms</source>
        <translation>%1: %2, p50 %3 ms, p99 %4 ms</translation>
    </message>
    <message>
        <source>Size, bytes</source>
        <translation>Größe, Byte</translation>
    </message>
    <message>
        <source>MB/s</source>
        <translation>MB/s</translation>
    </message>
    <message>
        <source>p50, ms</source>
        <translation>p50, ms</translation>
    </message>
    <message>
        <source>p99, ms</source>
        <translation>p99, ms</translation>
    </message>
    <message>
        <source>Requests per second</source>
        <translation>Anfragen je Sekunde</translation>
    </message>
    <message>
        <source>Latency, ms</source>
        <translation>Latenz, ms</translation>
    </message>
    <message>
        <source>Size of requests</source>
        <translation>Größe der Anfragen</translation>
    </message>
    <message>
        <source>physical</source>
        <translation>physisch</translation>
    </message>
    <message>
        <source>optimal</source>
        <translation>optimal</translation>
    </message>
    <message>
        <source>max transfer</source>
        <translation>größte Übertragung</translation>
    </message>
    <message>
        <source>median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>Knee %1</source>
        <translation>Knick %1</translation>
    </message>
    <message>
        <source>%1 (%2–%3)</source>
        <comment>rate, slowest, fastest round</comment>
        <translation>%1 (%2–%3)</translation>
    </message>
    <message>
        <source>Slowest round, MB/s</source>
        <translation>Langsamste Runde, MB/s</translation>
    </message>
    <message>
        <source>Fastest round, MB/s</source>
        <translation>Schnellste Runde, MB/s</translation>
    </message>
    <message>
        <source>median, min–max</source>
        <translation>Median, kleinste–größte</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::TargetModel</name>
    <message>
        <source>It is what is read.</source>
        <translation>Von ihm wird gelesen.</translation>
    </message>
    <message>
        <source>Image needs %1 more.</source>
        <translation>Das Abbild braucht %1 mehr.</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <comment>kernel name, why not</comment>
        <translation>%1 · %2</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::WelcomePage</name>
    <message>
        <source>%1; also inside %2</source>
        <comment>formats; compressions</comment>
        <translation>%1; auch in %2</translation>
    </message>
    <message>
        <source>Drop a disk image here</source>
        <translation>Datenträgerabbild hier ablegen</translation>
    </message>
    <message>
        <source>It is only inspected. Nothing is written until you say where.</source>
        <translation>Es wird nur untersucht. Geschrieben wird erst, wenn Sie sagen, wohin.</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>Ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>Or choose a device from the list to see its limits. Reading them needs no password.</source>
        <translation>Oder wählen Sie ein Gerät aus der Liste, um seine Grenzen zu sehen. Dafür ist kein Passwort nötig.</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::WorkerJob</name>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>Destination</source>
        <translation>Ziel</translation>
    </message>
    <message>
        <source>Opening the files</source>
        <translation>Dateien werden geöffnet</translation>
    </message>
    <message>
        <source>Asking for the right to open the device</source>
        <translation>Das Recht, das Gerät zu öffnen, wird erbeten</translation>
    </message>
    <message>
        <source>Worker %1, held in by %2</source>
        <translation>Arbeitsprozess %1, eingegrenzt durch %2</translation>
    </message>
    <message>
        <source>By its content it is %1.</source>
        <translation>Dem Inhalt nach ist es %1.</translation>
    </message>
    <message>
        <source>What follows the compressed data, from byte %1 on, was left out.</source>
        <translation>Was ab Byte %1 auf die komprimierten Daten folgt, wurde ausgelassen.</translation>
    </message>
    <message>
        <source>The target holds a part of the image and a part of what was there.</source>
        <translation>Das Ziel enthält einen Teil des Abbilds und einen Teil des früheren Inhalts.</translation>
    </message>
    <message>
        <source>Opened %1</source>
        <translation>%1 geöffnet</translation>
    </message>
    <message>
        <source>Not opened, as nobody allowed it: %1</source>
        <translation>Nicht geöffnet, da niemand es erlaubt hat: %1</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Wird angehalten</translation>
    </message>
    <message>
        <source>It went on while the window was closed</source>
        <translation>Er lief weiter, während das Fenster geschlossen war</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Resumed</source>
        <translation>Fortgesetzt</translation>
    </message>
    <message>
        <source>Clients are served</source>
        <translation>Clients werden bedient</translation>
    </message>
    <message>
        <source>It goes on without the window</source>
        <translation>Er läuft ohne das Fenster weiter</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ZeroPage</name>
    <message>
        <source>Way to zero</source>
        <translation>Art des Nullens</translation>
    </message>
    <message>
        <source>&amp;Zero…</source>
        <translation>&amp;Nullen…</translation>
    </message>
    <message>
        <source>This is not secure erase: a device may keep old bytes in spare blocks, where only its own commands reach.</source>
        <translation>Dies ist kein sicheres Löschen: Ein Gerät kann alte Bytes in Reserveblöcken behalten, die nur seine eigenen Befehle erreichen.</translation>
    </message>
    <message>
        <source>Asks for confirmation first.</source>
        <translation>Fragt vorher nach.</translation>
    </message>
    <message>
        <source>The fastest</source>
        <translation>Die schnellste</translation>
    </message>
    <message>
        <source>Reads as zero: yes. Tries the command, and writes where that is faster.</source>
        <translation>Liest sich als null: ja. Versucht den Befehl und schreibt, wo das schneller ist.</translation>
    </message>
    <message>
        <source>Its own command</source>
        <translation>Sein eigener Befehl</translation>
    </message>
    <message>
        <source>Reads as zero: yes. It may free the space where it then promises zeroes.</source>
        <translation>Liest sich als null: ja. Er darf den Platz freigeben, wo er dann Nullen verspricht.</translation>
    </message>
    <message>
        <source>Writing zeroes</source>
        <translation>Nullen schreiben</translation>
    </message>
    <message>
        <source>Reads as zero: yes. Every block is written.</source>
        <translation>Liest sich als null: ja. Jeder Block wird geschrieben.</translation>
    </message>
    <message>
        <source>Discarding</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Reads as zero: not promised. Tells the device that nothing is needed any more.</source>
        <translation>Liest sich als null: nicht versprochen. Sagt dem Gerät, dass nichts mehr gebraucht wird.</translation>
    </message>
    <message>
        <source>The fastest way</source>
        <translation>Die schnellste Art</translation>
    </message>
    <message>
        <source>Its own command only</source>
        <translation>Nur sein eigener Befehl</translation>
    </message>
    <message>
        <source>Writing zeroes only</source>
        <translation>Nur Nullen schreiben</translation>
    </message>
    <message>
        <source>Discarding: frees, promises nothing</source>
        <translation>Verwerfen: gibt frei, verspricht nichts</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Zeroes</source>
        <translation>Nullen</translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ZoomStrip</name>
    <message>
        <source>The whole device</source>
        <translation>Das ganze Gerät</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>partition, content</comment>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>%1 · %2 from byte %3</source>
        <comment>partition, size, offset</comment>
        <translation>%1 · %2 ab Byte %3</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Anfang</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>Geschrieben</translation>
    </message>
    <message>
        <source>its first %1, magnified</source>
        <translation>seine ersten %1, vergrößert</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Inspects and converts disk images.</source>
        <translation>Untersucht und konvertiert Datenträgerabbilder.</translation>
    </message>
    <message>
        <source>Disk images to open.</source>
        <translation>Zu öffnende Datenträgerabbilder.</translation>
    </message>
</context>
</TS>
