<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>disklathe::ui::ClosingDialog</name>
    <message numerus="yes">
        <source>%n job(s) not done yet. Close the window?</source>
        <translation>
            <numerusform>%n job not done yet. Close the window?</numerusform>
            <numerusform>%n jobs not done yet. Close the window?</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DeviceLog</name>
    <message numerus="yes">
        <source>%n partition(s)</source>
        <translation>
            <numerusform>%n partition</numerusform>
            <numerusform>%n partitions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::DropOverlay</name>
    <message numerus="yes">
        <source>Show what %n file(s) hold</source>
        <translation>
            <numerusform>Show what %n file holds</numerusform>
            <numerusform>Show what %n files hold</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::EraseDialog</name>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n more</numerusform>
            <numerusform>%n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Type the last %n character(s) of its &amp;serial number to go on:</source>
        <translation>
            <numerusform>Type the last %n character of its &amp;serial number to go on:</numerusform>
            <numerusform>Type the last %n characters of its &amp;serial number to go on:</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ExportPage</name>
    <message numerus="yes">
        <source>None now. %n client(s) have left.</source>
        <translation>
            <numerusform>None now. %n client has left.</numerusform>
            <numerusform>None now. %n clients have left.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ExportRow</name>
    <message numerus="yes">
        <source>%n client(s)</source>
        <translation>
            <numerusform>%n client</numerusform>
            <numerusform>%n clients</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::ImageView</name>
    <message numerus="yes">
        <source>It stands on %n file(s) that you have not allowed yet.</source>
        <translation>
            <numerusform>It stands on %n file that you have not allowed yet.</numerusform>
            <numerusform>It stands on %n files that you have not allowed yet.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::JobsPane</name>
    <message numerus="yes">
        <source>%n running</source>
        <translation>
            <numerusform>%n running</numerusform>
            <numerusform>%n running</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n waiting</source>
        <translation>
            <numerusform>%n waiting</numerusform>
            <numerusform>%n waiting</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n served</source>
        <translation>
            <numerusform>%n served</numerusform>
            <numerusform>%n served</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::LimitWords</name>
    <message numerus="yes">
        <source>%n command(s)</source>
        <translation>
            <numerusform>%n command</numerusform>
            <numerusform>%n commands</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n read-modify-write(s)</source>
        <translation>
            <numerusform>%n read-modify-write</numerusform>
            <numerusform>%n read-modify-writes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n command(s) where memory lies in single pages.</source>
        <translation>
            <numerusform>%n command where memory lies in single pages.</numerusform>
            <numerusform>%n commands where memory lies in single pages.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::OpenImage</name>
    <message numerus="yes">
        <source>%n snapshot(s)</source>
        <translation>
            <numerusform>%n snapshot</numerusform>
            <numerusform>%n snapshots</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::PartitionsPage</name>
    <message numerus="yes">
        <source>Partition table %1, %n partition(s), sectors of %2</source>
        <translation>
            <numerusform>Partition table %1, %n partition, sectors of %2</numerusform>
            <numerusform>Partition table %1, %n partitions, sectors of %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::RequestSplit</name>
    <message numerus="yes">
        <source>%1, in %n command(s)</source>
        <translation>
            <numerusform>%1, in %n command</numerusform>
            <numerusform>%1, in %n commands</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more command(s)</source>
        <translation>
            <numerusform>%n more command</numerusform>
            <numerusform>%n more commands</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>disklathe::ui::SweepPage</name>
    <message numerus="yes">
        <source>%n request(s) in flight, %1 rounds of each size, in turn.</source>
        <translation>
            <numerusform>One request at a time, %1 rounds of each size, in turn.</numerusform>
            <numerusform>%n requests in flight, %1 rounds of each size, in turn.</numerusform>
        </translation>
    </message>
</context>
</TS>
